import type { PlatformLimits } from '../../platform.ts'

const MB = 1024 * 1024

/** Limits of Telegram. */
export const telegramLimits: PlatformLimits = {
  /** 4096 characters after parsing; they are counted as code points, entities in UTF-16: 4000 is safe under both. */
  text: { max: 4_000, unit: 'utf16' },
  /** @see Bot API, `getFile` (20 MB) and "Sending files" (photo 10 MB, others 50 MB) */
  fileBytes: { inbound: 20 * MB, image: 10 * MB, file: 50 * MB },
  /** @see Bots FAQ, "My bot is hitting limits": 30 a second in all, one a second per chat, 20 a minute per group */
  pace: {
    channel: { count: 30, perMs: 1_000, burst: 30 },
    direct: { count: 1, perMs: 1_000, burst: 5 },
    group: { count: 20, perMs: 60_000, burst: 5 },
  },
  /** Edits share the pace of messages; a draft is not a message. */
  previewEveryMs: { draft: 500, edit: 3_000 },
  /** The sign is shown for 5 seconds. @see Bot API, `sendChatAction` */
  typingEveryMs: 4_000,
  /** @see Bot API, `getUpdates` */
  replayMs: 24 * 60 * 60 * 1_000,
}
