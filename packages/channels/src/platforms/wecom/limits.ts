import type { PlatformLimits } from '../../platform.ts'

const MB = 1024 * 1024

/** Longest content of one stream frame or push, in bytes of UTF-8: what the platform takes. */
export const CONTENT_BYTES = 20_480
/** Most sends to one conversation in an hour, replies and pushes together. */
export const SENDS_PER_HOUR = 1_000
/** How long to wait after 45009, which names no time. */
export const FREQUENCY_WAIT_MS = 60_000

/** Limits of WeCom. */
export const wecomLimits: PlatformLimits = {
  /** Below `CONTENT_BYTES`, so that a note fits behind a text. */
  text: { max: 18_000, unit: 'bytes' },
  /** What people may send is not documented; a picture may have 10 MB, a file 20 MB. */
  fileBytes: { inbound: 20 * MB, image: 10 * MB, file: 20 * MB },
  pace: {
    /** No limit of the bot as a whole is documented. */
    channel: { count: 50, perMs: 1_000, burst: 50 },
    /** 30 in any minute, the burst included; the 1,000 of an hour are counted by `allowance`. */
    direct: { count: 20, perMs: 60_000, burst: 10 },
    group: { count: 20, perMs: 60_000, burst: 10 },
  },
  /** Refreshes of a stream may come every 500 ms and are not said to count as sends. */
  previewEveryMs: { edit: 700, free: true },
  typingEveryMs: 30_000,
  /** Nothing is kept, and every reconnect tells its own gap. */
  replayMs: null,
}
