import type { Outcome } from '../../message.ts'
import type { PlatformIo, Clock } from '../../platform-io.ts'
import { parseJson } from './json.ts'
import { contentRejected } from './outbound-file.ts'

/** A call without an answer of the platform's own. `detail` holds no secret and no URL. */
export type WireFailure =
  /** Something else than the platform answered, e.g. a proxy with a page of HTML. */
  | { readonly kind: 'foreign'; readonly status: number; readonly detail: string; readonly retryAfterMs?: number }
  /** Nothing left this machine: no such host, connection refused, no route, certificate not accepted. */
  | { readonly kind: 'unsent'; readonly detail: string }
  /** The request may have arrived: connection dropped, stopped by the caller, or `timedOut`. */
  | { readonly kind: 'unanswered'; readonly detail: string; readonly timedOut?: true }

export interface Failed<F> {
  readonly ok: false
  readonly failure: F
}

export const failed = <F>(failure: F): Failed<F> => ({ ok: false, failure })

/** What a call without an answer means for the delivery. */
export function outcomeOfWire(failure: WireFailure): Outcome {
  const { kind, detail } = failure
  if (kind === 'unsent') return { status: 'refused', code: 'network', detail }
  // A proxy that finds the request too large has not passed it on; of its other pages nobody can tell.
  const isTooLarge = kind === 'foreign' && failure.status === 413
  return isTooLarge ? contentRejected(detail) : { status: 'unknown', detail }
}

/** The same of a call that shows nothing by itself: whatever became of it, the message was not shown. */
export const nothingShown = (outcome: Outcome): Outcome =>
  outcome.status === 'unknown' ? { status: 'refused', code: 'network', detail: outcome.detail } : outcome

/** `whose`: of whom an answer was expected. */
export function foreign(response: Response, whose: string): Extract<WireFailure, { kind: 'foreign' }> {
  const retryAfterMs = retryAfterOf(response)
  return {
    kind: 'foreign',
    status: response.status,
    detail: `HTTP ${response.status} with something else than an answer of ${whose} (a proxy, or a wrong address)`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** `foreign`, on its way through a library that only passes on what is thrown. */
export class ForeignAnswer extends Error {
  readonly failure: WireFailure
  constructor(failure: WireFailure) {
    super(failure.detail)
    this.failure = failure
  }
}

/**
 * Runs `work` within its limits. Never throws: what `work` throws becomes a failure.
 * @param read What an error says that is an answer of the platform; not asked when the call was broken off.
 */
export async function within<R, F = never>(
  io: Pick<PlatformIo, 'clock'>,
  limits: CallLimits,
  work: (signal: AbortSignal) => Promise<R>,
  read: (error: unknown) => F | undefined = () => undefined,
): Promise<R | Failed<F | WireFailure>> {
  if (limits.signal.aborted) return failed({ kind: 'unsent', detail: 'stopped before it was sent' })
  return limited(io.clock, limits, async (signal, broken) => {
    try {
      return await work(signal)
    } catch (error) {
      const why = broken()
      if (why === 'caller') return failed({ kind: 'unanswered', detail: 'stopped before the answer came' })
      if (why === 'time') {
        return failed({ kind: 'unanswered', detail: `no answer within ${limits.timeoutMs / 1000} s`, timedOut: true })
      }
      return failed(read(error) ?? failureOf(error))
    }
  })
}

/** Whether a server answers, whatever it says; `null`: it does. */
export async function unreachable(
  io: Pick<PlatformIo, 'clock' | 'fetch'>,
  url: string,
  limits: CallLimits,
): Promise<WireFailure | null> {
  const got = await within(io, limits, async (signal) => {
    const response = await io.fetch(url, { signal, redirect: 'manual' })
    await response.body?.cancel()
    return null
  })
  return got === null ? null : got.failure
}

function failureOf(error: unknown): WireFailure {
  if (error instanceof ForeignAnswer) return error.failure
  return { kind: isBeforeSending(error) ? 'unsent' : 'unanswered', detail: reasonOf(error) }
}

/** The whole body; `null` when it is larger, and then no more of it is read. */
export async function readUpTo(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
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

/** The body as JSON; `undefined` when it is none, or larger. */
export async function readJson(response: Response, maxBytes: number): Promise<unknown> {
  const bytes = await readUpTo(response, maxBytes)
  return bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))
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
  if ('syscall' in error && (error.syscall === 'read' || error.syscall === 'write')) return false
  const code = codeOf(error) ?? ''
  if (BEFORE_SENDING.has(code) || code.startsWith('CERT_') || code.startsWith('ERR_TLS_')) return true
  return ('syscall' in error && error.syscall === 'connect') || isBeforeSending(error.cause)
}

/** Why a connection failed: its code alone, because the words of such errors can hold the URL. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`
}

/** The code of a network error, which fetch puts into its cause. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause)
}

/** How long one call may take. */
export interface CallLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Why a piece of work was broken off. */
type Broken = 'time' | 'caller'

/**
 * Runs `work` within its limits. Its signal aborts when the time is over or the caller gives up; `broken` tells which.
 * What `work` throws comes through.
 */
export async function limited<R>(
  clock: Clock,
  { signal: caller, timeoutMs }: CallLimits,
  work: (signal: AbortSignal, broken: () => Broken | null) => Promise<R>,
): Promise<R> {
  const over = new AbortController()
  const done = new AbortController()
  let broken: Broken | null = null
  const stop = (why: Broken): void => {
    broken ??= why
    over.abort()
  }
  const onCaller = (): void => stop('caller')
  caller.addEventListener('abort', onCaller, { once: true })
  if (caller.aborted) onCaller()
  void clock.sleep(timeoutMs, done.signal).then(() => {
    if (!done.signal.aborted) stop('time')
  })
  try {
    return await work(over.signal, () => broken)
  } finally {
    caller.removeEventListener('abort', onCaller)
    done.abort(null) // by default each would make an error with a stack
  }
}

/** What `work` comes to, or `null` when the caller gives up before: the work goes on, for others may wait for it too. */
export async function unlessStopped<R>(work: Promise<R>, caller: AbortSignal): Promise<R | null> {
  const stopped = Promise.withResolvers<null>()
  const stop = (): void => stopped.resolve(null)
  caller.addEventListener('abort', stop, { once: true })
  if (caller.aborted) stop()
  try {
    return await Promise.race([stopped.promise, work])
  } finally {
    caller.removeEventListener('abort', stop)
  }
}

const MOST_CHARACTERS = 300

/** Makes foreign words fit to be shown and logged: without these secrets, on one line, not too long. */
export const hiding =
  (...secrets: readonly string[]): ((words: string) => string) =>
  (words) => {
    let shown = words
    for (const secret of secrets) if (secret !== '') shown = shown.replaceAll(secret, '****')
    return shown.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MOST_CHARACTERS)
  }
