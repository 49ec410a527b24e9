import type { Api, RawApi } from 'grammy'
import type { PlatformIo } from '../../platform.ts'
import { integer, isObject, object, parseJson, text } from '../wire/json.ts'
import type { Answer, TelegramFailure } from './outcome.ts'

/** How long one call may take. */
export interface CallLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

export type Download =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly mime?: string }
  | { readonly ok: false; readonly problem: 'too_large' | 'unavailable'; readonly detail: string }

/** Everything that leaves this machine for one bot: no method throws, and no text it returns holds the token. */
export interface TelegramClient {
  /** One call, e.g. `(api, signal) => api.getMe(signal)`. */
  call(ask: (api: RawApi, signal: GrammySignal) => Promise<unknown>, limits: CallLimits): Promise<Answer>
  /** One call with a file in it. */
  upload(method: 'sendPhoto' | 'sendDocument' | 'sendVoice', form: FormData, limits: CallLimits): Promise<Answer>
  /** @param path Relative path as `getFile` gave it, each segment checked by the caller. */
  download(path: string, maxBytes: number, limits: CallLimits): Promise<Download>
}

export type GrammySignal = NonNullable<Parameters<RawApi['getMe']>[0]>

/** Largest answer of the API that is read, in bytes: 100 updates are far below. */
const ANSWER_BYTES = 32 * 1024 * 1024

/** @param root Base URL without a trailing slash. */
export function openClient(token: string, root: string, io: PlatformIo): TelegramClient {
  const redact = (words: string): string => withoutToken(words, token)
  let api: Promise<Api> | undefined
  const fetchForGrammy = async (url: string, init: RequestInit & { signal: GrammySignal }): Promise<unknown> => {
    const body = await fetchAnswer(io, url, { ...init, signal: nativeSignal(init.signal) })
    return { json: () => body }
  }
  const open = async (): Promise<Api> => {
    const grammy = await import('grammy') // only a service that uses Telegram pays for it
    return new grammy.Api(token, { apiRoot: root, fetch: fetchForGrammy })
  }
  return {
    call: (ask, limits) =>
      guarded(io, limits, redact, async (signal) => {
        api ??= open()
        const { raw } = await api
        const result = await ask(raw, signal as unknown as GrammySignal) // grammY's own type of the same interface
        return { ok: true, result }
      }),
    upload: (method, form, limits) =>
      guarded(io, limits, redact, async (signal) => {
        const answer = await fetchAnswer(io, `${root}/bot${token}/${method}`, { method: 'POST', body: form, signal })
        return answer['ok'] === true ? { ok: true, result: answer['result'] } : failed(failureOf(answer, redact))
      }),
    download: (path, maxBytes, limits) =>
      limited(io, limits, async (signal, why) => {
        const url = `${root}/file/bot${token}/${path.split('/').map(encodeURIComponent).join('/')}`
        try {
          return await fetchFile(io, url, maxBytes, signal)
        } catch (error) {
          return { ok: false, problem: 'unavailable', detail: redact(why() ?? reasonOf(error)) }
        }
      }),
  }
}

/** Replaces the token, also in its percent-encoded form, and keeps the words short enough for a log line. */
function withoutToken(words: string, token: string): string {
  const secret = token.slice(token.indexOf(':') + 1)
  return words.replaceAll(token, '<token>').replaceAll(secret, '<token>').slice(0, 300)
}

class Foreign extends Error {
  readonly status: number
  constructor(status: number) {
    super(`HTTP ${status} with something else than an answer of the Bot API (a proxy, or a wrong base_url)`)
    this.status = status
  }
}

/** Runs `work` within its time; `why` says what stopped it, if something did. */
async function limited<R>(
  io: PlatformIo,
  limits: CallLimits,
  work: (signal: AbortSignal, why: () => string | undefined) => Promise<R>,
): Promise<R> {
  const over = new AbortController()
  const timer = new AbortController()
  let timedOut = false
  void io.clock.sleep(limits.timeoutMs, timer.signal).then(() => {
    if (timer.signal.aborted) return
    timedOut = true
    over.abort()
  })
  const stop = (): void => over.abort()
  limits.signal.addEventListener('abort', stop, { once: true })
  const why = (): string | undefined => {
    if (timedOut) return `no answer within ${limits.timeoutMs / 1000} s`
    return limits.signal.aborted ? 'stopped before the answer came' : undefined
  }
  try {
    return await work(over.signal, why)
  } finally {
    limits.signal.removeEventListener('abort', stop)
    timer.abort(null) // by default each would make an error with a stack
  }
}

function guarded(
  io: PlatformIo,
  limits: CallLimits,
  redact: (words: string) => string,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  if (limits.signal.aborted) return Promise.resolve(failed({ kind: 'unsent', detail: 'stopped before it was sent' }))
  return limited(io, limits, async (signal, why) => {
    try {
      return await work(signal)
    } catch (error) {
      const stopped = why()
      return failed(stopped === undefined ? failureOf(error, redact) : { kind: 'unanswered', detail: stopped })
    }
  })
}

const failed = (failure: TelegramFailure): Answer => ({ ok: false, failure })

async function fetchAnswer(io: PlatformIo, url: string, init: RequestInit): Promise<Readonly<Record<string, unknown>>> {
  // A redirect would carry the token, which is part of the URL, and the message to another host.
  const response = await io.fetch(url, { ...init, redirect: 'manual' })
  const bytes = await readUpTo(response, ANSWER_BYTES)
  const answer = bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))
  if (isObject(answer) && typeof answer['ok'] === 'boolean') return answer
  throw new Foreign(response.status)
}

async function fetchFile(io: PlatformIo, url: string, maxBytes: number, signal: AbortSignal): Promise<Download> {
  const response = await io.fetch(url, { signal, redirect: 'manual' })
  if (response.status !== 200) {
    await response.body?.cancel()
    return { ok: false, problem: 'unavailable', detail: `HTTP ${response.status} for the file` }
  }
  const bytes = await readUpTo(response, maxBytes)
  if (bytes === null) return { ok: false, problem: 'too_large', detail: `larger than ${maxBytes} bytes` }
  const mime = response.headers.get('content-type')
  return { ok: true, bytes, ...(mime === null ? {} : { mime }) }
}

/** The whole body; `null` when it is larger. */
async function readUpTo(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  const announced = Number(response.headers.get('content-length') ?? Number.NaN)
  if (announced <= maxBytes && response.headers.get('content-encoding') === null) return response.bytes()
  if (response.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  const body = response.body as AsyncIterable<Uint8Array> // the body of a response is bytes
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) return null // leaving the loop cancels the body
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

/** grammY brings its own kind of signal, which the global fetch does not take. */
function nativeSignal(signal: GrammySignal): AbortSignal {
  const native = new AbortController()
  if (signal.aborted) native.abort()
  else signal.addEventListener('abort', () => native.abort())
  return native.signal
}

/**
 * What the API answered or what was thrown, as data. What grammY throws can hold the URL, and so the token: only known
 * fields are taken.
 */
function failureOf(error: unknown, redact: (words: string) => string): TelegramFailure {
  const thrown = object(error)
  const description = text(thrown?.['description'])
  const status = integer(thrown?.['error_code'])
  if (description !== undefined && status !== undefined) {
    const parameters = object(thrown?.['parameters'])
    const seconds = integer(parameters?.['retry_after'])
    const migratedTo = integer(parameters?.['migrate_to_chat_id'])
    return {
      kind: 'answer',
      status,
      description: redact(description),
      ...(seconds === undefined ? {} : { retryAfterMs: Math.min(Math.max(seconds, 0), 86_400) * 1000 }),
      ...(migratedTo === undefined ? {} : { migratedTo: String(migratedTo) }),
    }
  }
  const cause = thrown?.['error'] ?? error // grammY's HttpError keeps what was thrown in `error`
  if (cause instanceof Foreign) return { kind: 'foreign', status: cause.status, detail: cause.message }
  return { kind: isBeforeSending(cause) ? 'unsent' : 'unanswered', detail: redact(reasonOf(cause)) }
}

const BEFORE_SENDING: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_INVALID_URL',
])

/** Whether the connection was never made: only then is it certain that nothing was sent. */
function isBeforeSending(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return true // every address of the host was tried in vain
  if (error.message === 'bad port') return true // fetch itself refuses some ports
  const code = codeOf(error) ?? ''
  if (BEFORE_SENDING.has(code) || code.startsWith('CERT_') || code.startsWith('ERR_TLS_')) return true
  return ('syscall' in error && error.syscall === 'connect') || isBeforeSending(error.cause)
}

/** The code of a network error, which fetch puts into its cause. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? text(error.code) : undefined
  return code ?? codeOf(error.cause)
}

/** Why a fetch failed: its code alone, because the words of such errors can hold the URL. */
const reasonOf = (error: unknown): string => {
  const code = codeOf(error)
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`
}
