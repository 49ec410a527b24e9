import type { FailureValues } from '../../doctor/findings.ts'
import type { Outcome } from '../../message.ts'
import type { PlatformIo, Clock } from '../../platform-io.ts'
import { parseJson } from './json.ts'
import { contentRejected } from './outbound-file.ts'

/** What `detail` of a failure describes. */
type Cause =
  | { readonly code: 'timed_out'; readonly seconds: number }
  | { readonly code: 'connection_failed'; readonly error: string | null }
  | { readonly code: 'foreign_response'; readonly status: number }
  | { readonly code: 'cancelled' }

/** A call without a response of the platform itself. `detail` contains no secret and no URL. */
export type WireFailure = {
  readonly cause?: Cause
} /** Something other than the platform responded, e.g. a proxy with an HTML page. */ & (
  | { readonly kind: 'foreign'; readonly status: number; readonly detail: string; readonly retryAfterMs?: number }
  /** Nothing was sent: unknown host, connection refused, no route, certificate rejected. */
  | { readonly kind: 'unsent'; readonly detail: string }
  /** The request may have arrived: connection lost, cancelled by the caller, or `timedOut`. */
  | { readonly kind: 'unanswered'; readonly detail: string; readonly timedOut?: true }
)

/** A failed call. */
export interface Failed<F> {
  readonly ok: false
  readonly failure: F
}

const CANCELLED: Cause = { code: 'cancelled' }

/** Returns a failure as values of a finding. @param words Its English description, or the platform's words. */
export function toFailureValues(words: string, failure: object): FailureValues {
  const none = { words, cause: null, seconds: null, error: null, status: null }
  const { cause } = failure as { readonly cause?: Cause } // only wire failures have one
  if (cause === undefined) return none
  const { code, ...values } = cause
  return { ...none, cause: code, ...values }
}

/** Wraps a failure. */
export const failed = <F>(failure: F): Failed<F> => ({ ok: false, failure })

/** Returns the outcome of a send without a response of the platform. */
export function toWireOutcome(failure: WireFailure): Outcome {
  const { kind, detail } = failure
  if (kind === 'unsent') return { status: 'refused', code: 'network', detail }
  // A proxy that finds the request too large has not forwarded it; other proxy pages are inconclusive.
  const isTooLarge = kind === 'foreign' && failure.status === 413
  return isTooLarge ? contentRejected(detail) : { status: 'unknown', detail }
}

/** Converts the outcome of a call that shows nothing by itself: whatever happened, the message was not shown. */
export const asNotShown = (outcome: Outcome): Outcome =>
  outcome.status === 'unknown' ? { status: 'refused', code: 'network', detail: outcome.detail } : outcome

/** Describes a response that did not come from the platform. @param whose The expected sender. */
export function toForeignFailure(response: Response, whose: string): Extract<WireFailure, { kind: 'foreign' }> {
  const retryAfterMs = readRetryAfter(response)
  return {
    kind: 'foreign',
    status: response.status,
    detail: `HTTP ${response.status} instead of a response from ${whose} (a proxy, or a wrong URL)`,
    cause: { code: 'foreign_response', status: response.status },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** Carries a foreign response through a library that only passes on what is thrown. */
export class ForeignAnswer extends Error {
  readonly failure: WireFailure
  constructor(failure: WireFailure) {
    super(failure.detail)
    this.failure = failure
  }
}

/**
 * Runs `work` within its limits. Never throws: what `work` throws becomes a failure.
 * @param read Reads the platform's response from an error; not called when the call was aborted.
 */
export async function runCall<R, F = never>(
  io: Pick<PlatformIo, 'clock'>,
  limits: CallLimits,
  work: (signal: AbortSignal) => Promise<R>,
  read: (error: unknown) => F | undefined = () => undefined,
): Promise<R | Failed<F | WireFailure>> {
  if (limits.signal.aborted) return failed({ kind: 'unsent', detail: 'cancelled before it was sent', cause: CANCELLED })
  return withTimeLimit(io.clock, limits, async (signal, abortCause) => {
    try {
      return await work(signal)
    } catch (error) {
      const why = abortCause()
      if (why === 'caller')
        return failed({ kind: 'unanswered', detail: 'cancelled before a response arrived', cause: CANCELLED })
      if (why === 'time') {
        const seconds = limits.timeoutMs / 1000
        const detail = `no response within ${seconds} s`
        return failed({ kind: 'unanswered', detail, timedOut: true, cause: { code: 'timed_out', seconds } })
      }
      return failed(read(error) ?? toWireFailure(error))
    }
  })
}

/** Checks whether a server responds at all. @returns `null` when it does. */
export async function checkReachable(
  io: Pick<PlatformIo, 'clock' | 'fetch'>,
  url: string,
  limits: CallLimits,
): Promise<WireFailure | null> {
  const got = await runCall(io, limits, async (signal) => {
    const response = await io.fetch(url, { signal, redirect: 'manual' })
    await response.body?.cancel()
    return null
  })
  return got === null ? null : got.failure
}

function toWireFailure(error: unknown): WireFailure {
  if (error instanceof ForeignAnswer) return error.failure
  const cause = { code: 'connection_failed', error: findErrorCode(error) ?? null } as const
  return { kind: isBeforeSending(error) ? 'unsent' : 'unanswered', detail: describeNetworkError(error), cause }
}

/** Returns the whole body; `null` when it exceeds the limit, and then stops reading. */
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

/** Returns the body as JSON; `undefined` when it is not JSON or exceeds the limit. */
export async function readJson(response: Response, maxBytes: number): Promise<unknown> {
  const bytes = await readUpTo(response, maxBytes)
  return bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))
}

/** Returns `Retry-After` in milliseconds, at most a day; `undefined` when there is none. */
export function readRetryAfter(response: Response): number | undefined {
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
  'ADDRESS_NOT_PUBLIC',
])

/** Returns whether the connection was never made: only then is it certain that nothing was sent. */
function isBeforeSending(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return true // every address of the host failed
  if (error.message === 'bad port') return true // fetch rejects some ports
  if ('syscall' in error && (error.syscall === 'read' || error.syscall === 'write')) return false
  const code = findErrorCode(error) ?? ''
  if (BEFORE_SENDING.has(code) || code.startsWith('CERT_') || code.startsWith('ERR_TLS_')) return true
  return ('syscall' in error && error.syscall === 'connect') || isBeforeSending(error.cause)
}

/** Describes a failed connection by its code alone: the messages of such errors may contain the URL. */
export function describeNetworkError(error: unknown): string {
  const code = findErrorCode(error)
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`
}

/** Returns the code of a network error, which fetch puts into its cause. */
function findErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return 'code' in error && typeof error.code === 'string' ? error.code : findErrorCode(error.cause)
}

/** Limits of one call. */
export interface CallLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Why work was aborted. */
type AbortCause = 'time' | 'caller'

/**
 * Runs `work` within its limits. Its signal aborts when the time is up or the caller aborts; `abortCause` returns which.
 * Errors of `work` pass through.
 */
export async function withTimeLimit<R>(
  clock: Clock,
  { signal: caller, timeoutMs }: CallLimits,
  work: (signal: AbortSignal, abortCause: () => AbortCause | null) => Promise<R>,
): Promise<R> {
  const over = new AbortController()
  const done = new AbortController()
  let abortCause: AbortCause | null = null
  const stop = (why: AbortCause): void => {
    abortCause ??= why
    over.abort()
  }
  const onCaller = (): void => stop('caller')
  caller.addEventListener('abort', onCaller, { once: true })
  if (caller.aborted) onCaller()
  void clock.sleep(timeoutMs, done.signal).then(() => {
    if (!done.signal.aborted) stop('time')
  })
  try {
    return await work(over.signal, () => abortCause)
  } finally {
    caller.removeEventListener('abort', onCaller)
    done.abort(null) // without a reason, each abort would create an error with a stack
  }
}

/** Resolves to the result of `work`, or `null` when the caller aborts first. The work continues: others may await it. */
export async function raceAbort<R>(work: Promise<R>, caller: AbortSignal): Promise<R | null> {
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

const MAX_CHARACTERS = 300

/** Creates a function that makes a foreign message safe to show and log: secrets removed, one line, limited length. */
export const createRedactor =
  (...secrets: readonly string[]): ((words: string) => string) =>
  (words) => {
    let shown = words
    for (const secret of secrets) if (secret !== '') shown = shown.replaceAll(secret, '****')
    return shown.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_CHARACTERS)
  }
