import type { BotState } from '../state.ts'
import type { OfBot, ShownMessage } from './control.ts'
import { shownMessage } from './shown.ts'

/** Resolves when enough messages of the bot are there, or when the time is over. */
export async function waitForSent(
  bot: BotState,
  options: OfBot & { readonly afterSequence?: number; readonly count?: number; readonly timeoutMs?: number },
): Promise<readonly ShownMessage[]> {
  const { afterSequence = 0, count = 1, timeoutMs = 10_000 } = options
  const isEnough = (): boolean => bot.sent.countAfter(afterSequence) >= count
  if (!isEnough()) {
    const enough = new AbortController()
    const look = (): void => {
      if (isEnough()) enough.abort()
    }
    bot.sentWatchers.add(look)
    await bot.clock.sleep(timeoutMs, enough.signal)
    bot.sentWatchers.delete(look)
  }
  return bot.sent.after(afterSequence).map((stored) => shownMessage(bot, stored))
}
