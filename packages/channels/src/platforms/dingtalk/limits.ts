import type { PlatformLimits } from '../../platform.ts'

const MB = 1024 * 1024

/** Largest body of a send, bytes; more is answered by 460101. */
export const BODY_BYTES = 20_000

/** @see DingTalk Open Platform: robot messages, upload of media files, AI cards */
export const dingtalkLimits: PlatformLimits = {
  /** Longer Markdown is shown badly or refused. Escaped twice in a body, 3500 units stay below `BODY_BYTES`. */
  text: { max: 3_500, unit: 'utf16' },
  /** What is sent is limited by the upload (20 MB); what people send is not, so this is our own limit. */
  fileBytes: { inbound: 20 * MB, image: 20 * MB, file: 20 * MB },
  /** A webhook that gets more than 20 messages within a minute is blocked for ten: 5 at once and 15 after them. */
  pace: {
    channel: { count: 20, perMs: 1_000, burst: 20 },
    direct: { count: 15, perMs: 60_000, burst: 5 },
    group: { count: 15, perMs: 60_000, burst: 5 },
  },
  /** A card takes updates every 500 to 800 ms, and they are no messages. */
  previewEveryMs: { edit: 700, free: true },
  /** The last repetition of an unanswered message was seen after about a minute; the other minute is for our own clock. */
  replayMs: 120_000,
  /** The sign stays until it is taken away: once is enough, a repetition only mends one that failed. */
  typingEveryMs: 60_000,
}
