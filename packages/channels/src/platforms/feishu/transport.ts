import type { PlatformIo } from '../../platform.ts'
import { integer, type Json, object, parseJson, text } from './json.ts'
import type { Answer, FeishuFailure } from './outcome.ts'

/** How long one call may take. */
export interface CallLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** One HTTP request to the open API or to the log-in. */
export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON, or as a form where it is one. */
  readonly body?: Json | FormData | URLSearchParams
}

export type Download =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly mime?: string }
  | { readonly ok: false; readonly problem: 'too_large' | 'unavailable'; readonly detail: string }

/** Largest answer that is read, in bytes: a page of 50 messages is far below. */
const ANSWER_BYTES = 16 * 1024 * 1024
/** The file is larger than the platform hands out. @see "Get resource files in messages", code 234037 */
const TOO_LARGE_CODE = 234037

/** Makes one request and reads its answer. Never throws. */
export function askFeishu(
  io: PlatformIo,
  request: WireRequest,
  limits: CallLimits,
  redact: (words: string) => string = (words) => words,
): Promise<Answer> {
  if (limits.signal.aborted) return Promise.resolve(failed({ kind: 'unsent', detail: 'stopped before it was sent' }))
  return within(io, limits, async (signal, stopped) => {
    try {
      const response = await io.fetch(addressOf(request), initOf(request, signal))
      const bytes = await readUpTo(response, ANSWER_BYTES)
      const body = bytes === null ? undefined : object(parseJson(new TextDecoder().decode(bytes)))
      return readAnswer(response, body, redact)
    } catch (error) {
      const why = stopped()
      if (why !== undefined) return failed({ kind: 'unanswered', detail: why })
      return failed({ kind: isBeforeSending(error) ? 'unsent' : 'unanswered', detail: redact(reasonOf(error)) })
    }
  })
}

/** Fetches a file; its bytes come only with status 200. Never throws. */
export function downloadFile(
  io: PlatformIo,
  request: WireRequest,
  maxBytes: number,
  limits: CallLimits,
  redact: (words: string) => string,
): Promise<Download | { readonly ok: false; readonly problem: 'refused'; readonly failure: FeishuFailure }> {
  return within(io, limits, async (signal, stopped) => {
    try {
      const response = await io.fetch(addressOf(request), initOf(request, signal))
      const mime = response.headers.get('content-type')
      if (response.status !== 200 || mime?.startsWith('application/json') === true) {
        return await readRefusal(response, redact)
      }
      const bytes = await readUpTo(response, maxBytes)
      if (bytes === null) return { ok: false, problem: 'too_large', detail: `larger than ${maxBytes} bytes` }
      return { ok: true, bytes, ...(mime === null ? {} : { mime }) }
    } catch (error) {
      return { ok: false, problem: 'unavailable', detail: redact(stopped() ?? reasonOf(error)) }
    }
  })
}

/** A file of JSON cannot be told from an answer by its type: only one with a code that is not 0 is a refusal. */
async function readRefusal(
  response: Response,
  redact: (words: string) => string,
): Promise<Download | { readonly ok: false; readonly problem: 'refused'; readonly failure: FeishuFailure }> {
  const bytes = await readUpTo(response, ANSWER_BYTES)
  const body = bytes === null ? undefined : object(parseJson(new TextDecoder().decode(bytes)))
  const answer = readAnswer(response, body, redact)
  if (response.status === 200 && bytes !== null && (answer.ok || answer.failure.kind !== 'answer')) {
    return { ok: true, bytes, mime: 'application/json' }
  }
  const failure: FeishuFailure = answer.ok ? { kind: 'foreign', status: response.status, detail: '' } : answer.failure
  if (failure.kind === 'answer' && failure.code === TOO_LARGE_CODE) {
    return { ok: false, problem: 'too_large', detail: failure.msg }
  }
  return { ok: false, problem: 'refused', failure }
}

/** Whatever the status: only a body with a `code` is the open API's. */
function readAnswer(response: Response, body: Json | undefined, redact: (words: string) => string): Answer {
  const code = integer(body?.['code'])
  if (body === undefined || code === undefined) {
    const detail = `HTTP ${response.status} with something else than an answer of the open API (a proxy, or a wrong domain)`
    return failed({ kind: 'foreign', status: response.status, detail })
  }
  if (code === 0 && response.ok) return { ok: true, body }
  const seconds = Number(response.headers.get('x-ogw-ratelimit-reset') ?? Number.NaN)
  return failed({
    kind: 'answer',
    status: response.status,
    code,
    msg: redact(text(body['msg']) ?? 'no reason given').slice(0, 500),
    ...(seconds >= 0 ? { retryAfterMs: Math.max(Math.min(seconds, 86_400), 0.1) * 1_000 } : {}),
  })
}

const failed = (failure: FeishuFailure): Answer => ({ ok: false, failure })

function addressOf({ url, query }: WireRequest): string {
  const search = new URLSearchParams(query).toString()
  return search === '' ? url : `${url}?${search}`
}

function initOf({ method, headers, body }: WireRequest, signal: AbortSignal): RequestInit {
  // a redirect would carry the token and the message to another host
  const base = { method: method.toUpperCase(), redirect: 'manual', signal } as const
  if (body === undefined) return { ...base, headers: { ...headers } }
  if (body instanceof FormData || body instanceof URLSearchParams) return { ...base, headers: { ...headers }, body }
  const json = { ...headers, 'content-type': 'application/json; charset=utf-8' }
  return { ...base, headers: json, body: JSON.stringify(body) }
}

/** Runs `work` within its time; `stopped` says what ended it early, if something did. */
async function within<R>(
  io: PlatformIo,
  limits: CallLimits,
  work: (signal: AbortSignal, stopped: () => string | undefined) => Promise<R>,
): Promise<R> {
  const over = new AbortController()
  const done = new AbortController()
  let timedOut = false
  void io.clock.sleep(limits.timeoutMs, done.signal).then(() => {
    if (done.signal.aborted) return
    timedOut = true
    over.abort()
  })
  const stop = (): void => over.abort()
  limits.signal.addEventListener('abort', stop, { once: true })
  if (limits.signal.aborted) stop()
  try {
    return await work(over.signal, () => {
      if (timedOut) return `no answer within ${limits.timeoutMs / 1_000} s`
      return limits.signal.aborted ? 'stopped before the answer came' : undefined
    })
  } finally {
    limits.signal.removeEventListener('abort', stop)
    done.abort(null) // by default each would make an error with a stack
  }
}

/** The whole body; `null` when it is larger. */
async function readUpTo(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  const announced = Number(response.headers.get('content-length') ?? Number.NaN)
  if (response.body === null) return new Uint8Array()
  if (announced > maxBytes) {
    await response.body.cancel()
    return null
  }
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

/** Why a fetch failed: its code alone, because the words of such errors can hold what was sent. */
const reasonOf = (error: unknown): string => {
  const code = codeOf(error)
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`
}

/**
 * Posts a form to the accounts server, which says in its body what is wrong.
 * @returns `null` without an answer that is a JSON object.
 */
export function askForm(
  io: PlatformIo,
  url: string,
  form: Readonly<Record<string, string>>,
  limits: CallLimits,
): Promise<Json | null> {
  return within(io, limits, async (signal) => {
    try {
      const response = await io.fetch(url, initOf({ method: 'POST', url, body: new URLSearchParams(form) }, signal))
      const bytes = await readUpTo(response, ANSWER_BYTES)
      return (bytes === null ? undefined : object(parseJson(new TextDecoder().decode(bytes)))) ?? null
    } catch {
      return null // asked again, until the code ends
    }
  })
}
