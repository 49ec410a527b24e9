import type { Clock } from '../io.ts'

/** What takes too long has failed. */
class MailTimeout extends Error {
  override readonly name = 'MailTimeout'
}

/**
 * Runs `work` until `stop` aborts, at most `limitMs`: then its signal aborts, and it is not waited for any more, whether
 * it heeds the signal or not.
 * @throws {MailTimeout} also when `stop` aborts; and whatever `work` throws
 */
export async function withinLimit(
  work: (signal: AbortSignal) => Promise<void>,
  limits: { readonly clock: Clock; readonly limitMs: number; readonly stop: AbortSignal },
): Promise<void> {
  const { clock, limitMs, stop } = limits
  const over = new AbortController()
  const finished = new AbortController()
  const expiry = clock.sleep(limitMs, AbortSignal.any([finished.signal, stop])).then(() => {
    if (!finished.signal.aborted) over.abort()
    throw new MailTimeout('The mail was not taken in time.')
  })
  try {
    await Promise.race([work(over.signal), expiry])
  } finally {
    finished.abort()
  }
}
