import type { Clock } from '../../platform-io.ts'

/** How long one call may take. */
export interface CallLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Why a piece of work was broken off. */
export type Broken = 'time' | 'caller'

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
