import type { PlatformIo } from '../../platform.ts'
import type { WeixinFailure } from './outcome.ts'

/** How long one call may take. */
export interface CallLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

export type Failed = { readonly ok: false; readonly failure: WeixinFailure }

export const failed = (failure: WeixinFailure): Failed => ({ ok: false, failure })

/** Runs `work` within its time. What it throws becomes a failure that names no URL. */
export async function within<R>(
  io: PlatformIo,
  limits: CallLimits,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R | Failed> {
  if (limits.signal.aborted) return failed({ kind: 'unsent', detail: 'stopped before it was sent' })
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
  try {
    return await work(over.signal)
  } catch (error) {
    if (timedOut) {
      const detail = `no answer within ${limits.timeoutMs / 1000} s`
      return failed({ kind: 'unanswered', detail, timedOut })
    }
    if (limits.signal.aborted) return failed({ kind: 'unanswered', detail: 'stopped before the answer came', timedOut })
    const detail = reasonOf(error)
    return failed(isBeforeSending(error) ? { kind: 'unsent', detail } : { kind: 'unanswered', detail, timedOut })
  } finally {
    limits.signal.removeEventListener('abort', stop)
    timer.abort(null) // by default each would make an error with a stack
  }
}

/** The whole body; `null` when it is larger. */
export async function readUpTo(response: Response, maxBytes: number): Promise<Uint8Array | null> {
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

/** `Retry-After` in seconds, as milliseconds of at most a day; `undefined` when there is none. */
export function retryAfterOf(response: Response): number | undefined {
  const seconds = /^\d{1,6}$/.exec(response.headers.get('retry-after')?.trim() ?? '')?.[0]
  return seconds === undefined ? undefined : Math.min(Number(seconds), 86_400) * 1_000
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
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return code ?? codeOf(error.cause)
}

/** Why a fetch failed: its code alone, because the words of such errors can hold the URL. */
function reasonOf(error: unknown): string {
  const code = codeOf(error)
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`
}
