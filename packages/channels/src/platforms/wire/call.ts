import type { Outcome } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { retryAfterOf } from './body.ts'
import { isBeforeSending, reasonOf } from './network-error.ts'
import { contentRejected } from './outbound-file.ts'
import { type CallLimits, limited } from './time-limit.ts'

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
