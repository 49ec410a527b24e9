import type { PlatformIo } from '../../platform.ts'
import { type Json, list, object, parseJson, text } from '../wire/json.ts'
import { number } from './numbers.ts'
import type { Answer, DingtalkFailure } from './outcome.ts'

/** How long one call may take. */
export interface CallLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  readonly form?: FormData
  /** `errcode`: the old API, where a refusal is an HTTP 200 with an `errcode` other than 0. */
  readonly kind: 'http' | 'errcode'
}

export type Download =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly mime?: string }
  | { readonly ok: false; readonly problem: 'too_large' | 'unavailable'; readonly detail: string }

/** Largest answer that is read, in bytes. */
const ANSWER_BYTES = 1024 * 1024

/**
 * One call; never throws.
 * @param redact Takes the secrets out of the platform's own words.
 */
export function callJson(
  io: PlatformIo,
  call: HttpCall,
  limits: CallLimits,
  redact: (words: string) => string,
): Promise<Answer<Json>> {
  if (limits.signal.aborted) {
    return Promise.resolve({ ok: false, failure: { kind: 'unsent', detail: 'stopped before it was sent' } })
  }
  return limited(io, limits, async (signal, why) => {
    try {
      return await ask(io, call, signal, redact)
    } catch (error) {
      const stopped = why()
      const unsent = stopped === undefined && isBeforeSending(error)
      return { ok: false, failure: { kind: unsent ? 'unsent' : 'unanswered', detail: stopped ?? reasonOf(error) } }
    }
  })
}

async function ask(
  io: PlatformIo,
  { method, url, headers, json, form, kind }: HttpCall,
  signal: AbortSignal,
  redact: (words: string) => string,
): Promise<Answer<Json>> {
  const body = form ?? (json === undefined ? null : JSON.stringify(json))
  // Without `accept` some calls answer in XML; a redirect would carry the credentials to another host.
  const sent = { accept: 'application/json', ...(json === undefined ? {} : { 'content-type': 'application/json' }) }
  const response = await io.fetch(url, { method, headers: { ...sent, ...headers }, body, signal, redirect: 'manual' })
  const bytes = await readUpTo(response, ANSWER_BYTES)
  const answer = bytes === null ? undefined : object(parseJson(new TextDecoder().decode(bytes)))
  const failure = answer === undefined ? foreign(response.status) : failureIn(answer, response.status, kind, redact)
  return answer === undefined || failure !== null
    ? { ok: false, failure: failure ?? foreign(response.status) }
    : { ok: true, result: answer }
}

/** `null`: the answer is what was asked for. */
function failureIn(
  answer: Json,
  status: number,
  kind: HttpCall['kind'],
  redact: (words: string) => string,
): DingtalkFailure | null {
  const errcode = number(answer['errcode'])
  if (kind === 'errcode' && errcode !== undefined) {
    if (errcode === 0) return null
    return { kind: 'answer', status: 200, code: String(errcode), message: redact(text(answer['errmsg']) ?? '') }
  }
  if (kind === 'http' && status >= 200 && status < 300) return null
  const code = text(answer['code'])
  if (code === undefined) return foreign(status)
  const scopes = scopesIn(answer)
  const said = { code: redact(code), message: redact(text(answer['message']) ?? '') }
  return { kind: 'answer', status, ...said, ...(scopes.length === 0 ? {} : { scopes }) }
}

function scopesIn(answer: Json): readonly string[] {
  const detail = object(answer['accessdenieddetail']) ?? object(answer['accessDeniedDetail']) ?? answer
  return list(detail['requiredScopes'])
    .filter((scope): scope is string => typeof scope === 'string' && /^[\w.:-]{1,100}$/.test(scope))
    .slice(0, 10)
}

const foreign = (status: number): DingtalkFailure => ({
  kind: 'foreign',
  status,
  detail: `HTTP ${status} with something else than an answer of DingTalk (a proxy, or a wrong address)`,
})

/** Gets a file without any header of ours: the address is signed for a request without a content type. */
export function fetchFile(io: PlatformIo, url: URL, maxBytes: number, limits: CallLimits): Promise<Download> {
  return limited(io, limits, async (signal, why) => {
    try {
      const response = await io.fetch(url, { signal, redirect: 'manual' })
      if (response.status !== 200) {
        await response.body?.cancel()
        return { ok: false, problem: 'unavailable', detail: `HTTP ${response.status} for the file` }
      }
      const bytes = await readUpTo(response, maxBytes)
      if (bytes === null) return { ok: false, problem: 'too_large', detail: `larger than ${maxBytes} bytes` }
      const mime = response.headers.get('content-type')
      return { ok: true, bytes, ...(mime === null ? {} : { mime }) }
    } catch (error) {
      return { ok: false, problem: 'unavailable', detail: why() ?? reasonOf(error) }
    }
  })
}

/** The whole body; `null` when it is larger. */
async function readUpTo(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  if (response.body === null) return new Uint8Array()
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
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
  if (limits.signal.aborted) stop()
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

/** Why a call failed: its code alone, because the words of such errors can hold the URL. */
export const reasonOf = (error: unknown): string => {
  const code = codeOf(error)
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`
}
