import type { PlatformLimits } from '../../platform.ts'

const MB = 1024 * 1024

/** Sends that one message of a person makes possible: about 10 are reported, then `ret -2`. */
export const SENDS_PER_MESSAGE: number = 9

/** Limits of Weixin. */
export const weixinLimits: PlatformLimits = {
  /** What is safe, and what the vendor's client takes: longer parts when there would be more than can be sent. */
  text: { max: 2_000, unit: 'utf16', stretch: { parts: SENDS_PER_MESSAGE - 1, max: 4_000 } },
  /** Weixin documents none; a file is held in memory twice while it is encrypted. */
  fileBytes: { inbound: 50 * MB, image: 20 * MB, file: 25 * MB },
  /** One or two seconds between two sends to one person; nothing is known of the bot as a whole. */
  pace: {
    channel: { count: 10, perMs: 1_000, burst: 10 },
    direct: { count: 1, perMs: 1_500, burst: 1 },
    group: { count: 1, perMs: 1_500, burst: 1 },
  },
  previewEveryMs: {},
  /** Polls continue from the cursor, but how far back it reaches is undocumented. */
  replayMs: null,
  typingEveryMs: 5_000,
}
