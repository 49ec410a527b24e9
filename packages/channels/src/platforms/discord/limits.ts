import type { PlatformLimits } from '../../platform.ts'

const MIB = 1024 * 1024

/** Limits of Discord. */
export const discordLimits: PlatformLimits = {
  /** 2000 characters, counted as code points: fewer UTF-16 units are safe under either count. */
  text: { max: 1_900, unit: 'utf16' },
  /** People may send far larger files than a bot (10 MiB): what is fetched is held in memory. */
  fileBytes: { inbound: 25 * MIB, image: 10 * MIB, file: 10 * MIB },
  /** 50 requests a second in all; the bucket of a channel's messages is typically 5 in 5 seconds. */
  pace: {
    channel: { count: 50, perMs: 1_000, burst: 50 },
    direct: { count: 5, perMs: 5_000, burst: 5 },
    group: { count: 5, perMs: 5_000, burst: 5 },
  },
  /** Edits have a bucket of their own, of the same size. */
  previewEveryMs: { edit: 1_250, free: true },
  /** The sign is shown for 10 seconds. */
  typingEveryMs: 8_000,
  /** A session can be resumed for an undocumented number of minutes; the connection detects when it cannot. */
  replayMs: null,
}
