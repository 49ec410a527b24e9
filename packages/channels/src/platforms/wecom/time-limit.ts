import type { Clock } from '../../platform.ts'

/** Why a piece of work was broken off. */
export type Broken = 'time' | 'caller'

/**
 * Runs `work` for at most `ms`. Its signal aborts when the time is over or the caller gives up; `broken` tells which.
 * What `work` throws comes through.
 */
export async function limited<R>(
  clock: Clock,
  ms: number,
  caller: AbortSignal,
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
  void clock.sleep(ms, done.signal).then(() => {
    if (!done.signal.aborted) stop('time')
  })
  try {
    return await work(over.signal, () => broken)
  } finally {
    done.abort()
    caller.removeEventListener('abort', onCaller)
  }
}
