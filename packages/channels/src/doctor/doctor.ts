import type { ChannelPlatform, Platforms } from '../bound-platform.ts'
import type { ChannelDetails, DoctorReport, DoctorSection, KnownUser, Principal } from '../channels.ts'
import type { CredentialStore, StoredChannels } from '../config/credential-store.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'
import type { ChannelCheck } from '../platform.ts'
import { diagnoseChannel, MEND_DATABASE, readableCheck } from './diagnose.ts'

/** Examines the channels of an account. Never throws for what it finds. */
export interface Doctor {
  /** The service itself, and every platform that has credentials. */
  report(who: Principal, signal: AbortSignal): Promise<DoctorReport>
  channel(who: Principal, platform: ChannelPlatform, signal: AbortSignal): Promise<readonly ChannelCheck[]>
}

export interface DoctorOptions {
  readonly io: PlatformIo
  readonly store: CredentialStore
  readonly platforms: Platforms
  readonly details: (who: Principal, platform: PlatformId) => Promise<ChannelDetails>
  readonly users: (who: Principal, platform: PlatformId) => Promise<readonly KnownUser[]>
  readonly clockWatch: ClockWatch
  readonly databaseAnswers: () => Promise<boolean>
  readonly todaysLog: () => AsyncIterable<string> | null
}

export function createDoctor(options: DoctorOptions): Doctor {
  const { io, store, platforms, todaysLog } = options
  const channel: Doctor['channel'] = (who, platform, signal) =>
    diagnoseChannel({
      platform,
      io,
      read: async () => (await store.read(who.accountId))[platform.id],
      own: async () => ({
        platform,
        details: await options.details(who, platform.id),
        users: await options.users(who, platform.id),
        nowMs: io.clock.now(),
      }),
      bots: `${who.accountId}/${platform.id}/`,
      log: todaysLog,
      signal,
    })

  const section = async (who: Principal, platform: ChannelPlatform, signal: AbortSignal): Promise<DoctorSection> => ({
    platform: platform.id,
    title: platform.label,
    checks: timed(await channel(who, platform, signal), io.clock.now()),
  })

  return {
    channel: async (who, platform, signal) => timed(await channel(who, platform, signal), io.clock.now()),
    async report(who, signal) {
      const { check, stored } = await storeCheck(store, who)
      const service = [await databaseCheck(options), check]
      const present = Object.values(platforms).filter(({ id }) => stored[id] !== undefined)
      const examined = await Promise.all(present.map((platform) => section(who, platform, signal)))
      const nowMs = io.clock.now()
      const own = timed([...service, ...options.clockWatch.check()], nowMs)
      const sections: DoctorSection[] = [{ platform: null, title: 'Service', checks: own }, ...examined]
      return { ok: !sections.some(({ checks }) => checks.some(({ status }) => status === 'fail')), sections }
    },
  }
}

/** When each was proven. */
const timed = (checks: readonly ChannelCheck[], nowMs: number): readonly ChannelCheck[] =>
  checks.map((check) => ({ at: nowMs, ...check }))

async function databaseCheck({ databaseAnswers }: DoctorOptions): Promise<ChannelCheck> {
  const base = { id: 'database', title: 'Database answers' } as const
  if (await databaseAnswers()) return { ...base, status: 'pass', detail: 'It does.' }
  return { ...base, status: 'fail', detail: 'It does not.', remedy: MEND_DATABASE }
}

async function storeCheck(
  store: CredentialStore,
  { accountId }: Principal,
): Promise<{ check: ChannelCheck; stored: StoredChannels }> {
  const { check, stored } = await readableCheck('Channel configuration can be read', () => store.read(accountId))
  if (!stored) return { check, stored: {} }
  const names = Object.keys(stored)
  if (names.length > 0) return { check: { ...check, detail: names.join(', ') }, stored }
  const remedy = 'Run: npx gatepost reconfigure'
  return { check: { ...check, status: 'warn', detail: 'Nothing is configured yet.', remedy }, stored }
}

/** Platforms refuse what comes from another time; tickets live for a minute and a half. */
const MAX_SKEW_MS = 60_000

/** Watches the `Date` of what platforms answer. @see RFC 9110 section 6.6.1, RFC 9111 section 5.1 */
interface ClockWatch {
  readonly fetch: typeof fetch
  /** Nothing, while no platform has said what time it is. */
  check(): readonly ChannelCheck[]
}

/** @param real What really asks. */
export function watchClock(real: typeof fetch, clock: PlatformIo['clock']): ClockWatch {
  let last: { readonly skewMs: number; readonly atMs: number } | null = null
  return {
    async fetch(input, init) {
      const answer = await real(input, init)
      // what a cache has kept bears the time at which it was made
      const isKept = answer.headers.has('age')
      const date = isKept ? Number.NaN : Date.parse(answer.headers.get('date') ?? '')
      const atMs = clock.now()
      if (!Number.isNaN(date)) last = { skewMs: Math.abs(atMs - date), atMs }
      return answer
    },
    check() {
      if (last === null) return []
      const base = { id: 'clock', title: "The clock agrees with the platforms'", at: last.atMs } as const
      const detail = `${Math.round(last.skewMs / 1_000)} s apart.`
      if (last.skewMs <= MAX_SKEW_MS) return [{ ...base, status: 'pass', detail }]
      return [{ ...base, status: 'fail', detail, remedy: 'Set the clock by a time server (NTP).' }]
    },
  }
}
