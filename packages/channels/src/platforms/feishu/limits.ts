import type { PlatformLimits } from '../../platform.ts'

const MB = 1024 * 1024

/** Limits of Feishu. */
export const feishuLimits: PlatformLimits = {
  /** The body of a post or card has 30 KB; what 3500 units become as JSON within JSON stays below 15 KB. */
  text: { max: 3_500, unit: 'utf16' },
  /** @see Feishu Open Platform, "Get resource files in messages" (100 MB), "Upload image" (10), "Upload file" (30) */
  fileBytes: { inbound: 100 * MB, image: 10 * MB, file: 30 * MB },
  /** @see Feishu Open Platform, "Send message": 1000 a minute and 50 a second, 5 a second to one person or group */
  pace: {
    channel: { count: 1_000, perMs: 60_000, burst: 50 },
    direct: { count: 5, perMs: 1_000, burst: 5 },
    group: { count: 5, perMs: 1_000, burst: 5 },
  },
  /** Ten a second are allowed, but each is a call of a monthly quota, and the client types the text out in between. */
  previewEveryMs: { edit: 500, free: true },
  /** What was missed is read from the history by the connection itself, which also tells what it could not read. */
  replayMs: null,
  /** The reaction stays until it is taken away: repeating costs nothing but finds it there. */
  typingEveryMs: 30_000,
}
