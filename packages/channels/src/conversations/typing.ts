import type { Connection } from '../connection.ts'
import type { Chat } from '../message.ts'
import type { PlatformLimits } from '../platform.ts'
import type { Clock, Log } from '../platform-io.ts'

/** A turn quicker than this shows no typing sign. */
const TYPING_AFTER_MS = 300
/** How long taking it away may take. */
const TYPING_DONE_MS = 3_000

interface Typing {
  readonly connection: Connection
  readonly platform: { readonly limits: Pick<PlatformLimits, 'typingEveryMs'> }
  readonly clock: Clock
  readonly log: Log
}

/**
 * Shows that an answer is being written until `signal` aborts, then takes the sign away. Never throws; the answer need
 * not wait for it.
 */
export async function showTyping(
  { connection, platform, clock, log }: Typing,
  chat: Chat,
  signal: AbortSignal,
  messageId?: string,
): Promise<void> {
  const { typing, typingDone } = connection.can
  if (!typing) return
  await clock.sleep(TYPING_AFTER_MS, signal)
  if (signal.aborted) return
  try {
    while (!signal.aborted) {
      await typing(chat, signal, messageId)
      await clock.sleep(platform.limits.typingEveryMs, signal)
    }
  } catch (error) {
    if (!signal.aborted) log.debug('No typing sign was shown', { error })
  }
  try {
    await typingDone?.(chat, AbortSignal.timeout(TYPING_DONE_MS), messageId)
  } catch (error) {
    log.debug('A typing sign was not taken away', { error })
  }
}
