import type { ChannelPlatform, Platforms } from '../bound-platform.ts'
import type { ChannelDetails, DoctorReport, DoctorSection, KnownUser, Principal } from '../channels.ts'
import type { CredentialStore, StoredChannels } from '../config/credential-store.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'
import type { ChannelCheck } from '../platform.ts'
import type { ServerAccess } from '../server-access.ts'
import { diagnoseChannel, MEND_DATABASE, readableCheck } from './diagnose.ts'
import { toFinding } from './findings.ts'

/** Diagnoses the channels of an account. Never throws for a failed check. */
export interface Doctor {
  /** Diagnoses the service and every channel with credentials. */
  report(who: Principal, signal: AbortSignal): Promise<DoctorReport>
  channel(who: Principal, platform: ChannelPlatform, signal: AbortSignal): Promise<readonly ChannelCheck[]>
}

/** Options of `createDoctor`. */
export interface DoctorOptions {
  readonly io: PlatformIo
  readonly access: ServerAccess
  readonly store: CredentialStore
  readonly platforms: Platforms
  readonly details: (who: Principal, platform: PlatformId) => Promise<ChannelDetails>
  readonly users: (who: Principal, platform: PlatformId) => Promise<readonly KnownUser[]>
  readonly clockWatch: ClockWatch
  readonly databaseAnswers: () => Promise<boolean>
  readonly todaysLog: () => AsyncIterable<string> | null
}

/** Creates the doctor of this process. */
export function createDoctor(options: DoctorOptions): Doctor {
  const { io, store, platforms, todaysLog } = options
  const channel: Doctor['channel'] = (who, platform, signal) =>
    diagnoseChannel({
      platform,
      io,
      ioFor: (credentials) => options.access.ioFor(who.accountId, credentials),
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
    checks: stampChecks(await channel(who, platform, signal), io.clock.now()),
  })

  return {
    channel: async (who, platform, signal) => stampChecks(await channel(who, platform, signal), io.clock.now()),
    async report(who, signal) {
      const { check, stored } = await storeCheck(store, who)
      const service = [await databaseCheck(options), check]
      const present = Object.values(platforms).filter(({ id }) => stored[id] !== undefined)
      const examined = await Promise.all(present.map((platform) => section(who, platform, signal)))
      const nowMs = io.clock.now()
      const own = stampChecks([...service, ...options.clockWatch.check()], nowMs)
      const sections: DoctorSection[] = [
        { platform: null, subject: 'service', title: 'Service', checks: own },
        ...examined,
      ]
      return { ok: !sections.some(({ checks }) => checks.some(({ status }) => status === 'fail')), sections }
    },
  }
}

/** Adds the time to checks without one. */
const stampChecks = (checks: readonly ChannelCheck[], nowMs: number): readonly ChannelCheck[] =>
  checks.map((check) => ({ at: nowMs, ...check }))

async function databaseCheck({ databaseAnswers }: DoctorOptions): Promise<ChannelCheck> {
  const base = { id: 'database', title: 'Database responds' } as const
  if (await databaseAnswers()) return { ...base, status: 'pass', ...toFinding('database_responds') }
  return { ...base, status: 'fail', ...toFinding('database_unavailable'), remedy: MEND_DATABASE }
}

async function storeCheck(
  store: CredentialStore,
  { accountId }: Principal,
): Promise<{ check: ChannelCheck; stored: StoredChannels }> {
  const { check, stored } = await readableCheck('Channel configuration is readable', () => store.read(accountId))
  if (!stored) return { check, stored: {} }
  const names = Object.keys(stored)
  if (names.length > 0) return { check: { ...check, ...toFinding('channels_configured', { names }) }, stored }
  const remedy = 'Run: npx gatepost reconfigure'
  return { check: { ...check, status: 'warn', ...toFinding('no_channels'), remedy }, stored }
}

/** Platforms reject requests with a wrong time; connection tickets live for a minute and a half. */
const MAX_SKEW_MS = 60_000

/** Compares the clock with the `Date` header of responses. @see RFC 9110 section 6.6.1, RFC 9111 section 5.1 */
interface ClockWatch {
  readonly fetch: typeof fetch
  /** Returns the check; none until a platform has responded. */
  check(): readonly ChannelCheck[]
}

/** Wraps `fetch` to watch the clock. @param real The underlying `fetch`. */
export function watchClock(real: typeof fetch, clock: PlatformIo['clock']): ClockWatch {
  let last: { readonly skewMs: number; readonly atMs: number } | null = null
  return {
    async fetch(input, init) {
      const answer = await real(input, init)
      // a cached response has the time at which it was generated
      const isKept = answer.headers.has('age')
      const date = isKept ? Number.NaN : Date.parse(answer.headers.get('date') ?? '')
      const atMs = clock.now()
      if (!Number.isNaN(date)) last = { skewMs: Math.abs(atMs - date), atMs }
      return answer
    },
    check() {
      if (last === null) return []
      const base = { id: 'clock', title: 'System clock is in sync with the platforms', at: last.atMs } as const
      const finding = toFinding('clock_skew', { seconds: Math.round(last.skewMs / 1_000) })
      if (last.skewMs <= MAX_SKEW_MS) return [{ ...base, status: 'pass', ...finding }]
      return [{ ...base, status: 'fail', ...finding, remedy: 'Synchronize the system clock with a time server (NTP).' }]
    },
  }
}
