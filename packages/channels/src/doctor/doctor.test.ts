import { SqlError } from '@gatepost/sql'
import { expect, it } from 'vitest'
import type { Credentials, Platforms } from '../bound-platform.ts'
import type { ChannelDetails, DoctorReport } from '../channels.ts'
import type { StoredChannels } from '../config/credential-store.ts'
import type { ChannelCheck, Diagnosis } from '../platform.ts'
import { manualClock } from '../testing/clock.ts'
import { fakePlatform } from '../testing/fake-platform.ts'
import { OWNER } from '../testing/service-world.ts'
import { toFinding } from './findings.ts'
import { watchClock, createDoctor, type DoctorOptions } from './doctor.ts'

const NOW = 1_800_000_000_000
const FINE: ChannelCheck = { id: 'token_accepted', title: 'Token', status: 'pass', ...toFinding('not_limited') }
const STORED = { enabled: true, allowedUsers: [], credentials: {} }
const DETAILS = {
  enabled: true,
  running: true,
  state: 'running',
  gaps: [],
  dead: 0,
  last_heard_at: NOW,
  last_inbound_at: null,
}
const down = (): never => {
  throw new SqlError('database_unavailable')
}

/** Telegram, examined by `diagnose`, and Discord, which is fine. */
function open(diagnose: Credentials['diagnose'], options: Partial<DoctorOptions> = {}) {
  const clock = manualClock(NOW)
  const lines: string[] = []
  const note = (message: string): void => void lines.push(message)
  const log = { debug: note, info: note, warn: note, error: note }
  const io = { fetch, clock, random: () => 0.5, log, host: (_: string, fallback: string) => fallback }
  const { platform } = fakePlatform(clock)
  const of = (id: 'telegram' | 'discord', checks: Credentials['diagnose']) => ({
    ...platform,
    id,
    label: id,
    read: () => ({ stored: {}, identity: '42', diagnose: checks }) as unknown as Credentials, // all that is examined
  })
  const platforms = { telegram: of('telegram', diagnose), discord: of('discord', async () => [FINE]) }
  const stored: StoredChannels = { telegram: STORED, discord: STORED }
  const doctor = createDoctor({
    io,
    access: { ioFor: () => io, check: async () => undefined },
    store: { read: async () => stored } as unknown as DoctorOptions['store'], // nothing else of it is used
    platforms: platforms as unknown as Platforms, // the others have nothing stored
    details: async () => DETAILS as unknown as ChannelDetails, // what the checks look at
    users: async () => [],
    clockWatch: { fetch, check: () => [] },
    databaseAnswers: async () => true,
    todaysLog: () => null,
    ...options,
  })
  const examine = (): Promise<DoctorReport> => doctor.report(OWNER, new AbortController().signal)
  return { clock, lines, examine }
}

const getChecks = ({ sections }: DoctorReport, platform: string | null): readonly Diagnosis[] =>
  sections.find((section) => section.platform === platform)?.checks ?? []
const failed = (report: DoctorReport, platform: string | null): readonly Diagnosis[] =>
  getChecks(report, platform).filter(({ status }) => status === 'fail')

it('says that a platform cannot be examined when that fails, and examines the others', async () => {
  const { examine, lines } = open(() => Promise.reject(new TypeError('a secret')))
  const report = await examine()
  expect(report.ok).toBe(false)
  expect(failed(report, 'telegram')).toMatchObject([{ id: 'platform_checks', remedy: expect.any(String) as unknown }])
  expect(JSON.stringify(report)).not.toContain('a secret')
  expect(lines).toContain("Couldn't run a check")
  expect(getChecks(report, 'discord')).toContainEqual(expect.objectContaining({ id: 'token_accepted', status: 'pass' }))
})

it('waits half a minute for a platform that hangs, and no longer', async () => {
  const { examine, clock } = open(() => new Promise(() => {}))
  const examined = examine()
  await clock.advance(32_000)
  expect(failed(await examined, 'telegram')).toMatchObject([
    { id: 'platform_checks', detail: expect.stringContaining('in time') as unknown },
  ])
})

it('takes what a platform says when it is told that the time is over', async () => {
  const late: ChannelCheck = { ...FINE, status: 'warn', ...toFinding('check_timed_out') }
  const { examine, clock } = open(
    (_io, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve([late]))),
  )
  const examined = examine()
  await clock.advance(32_000)
  expect(failed(await examined, 'telegram')).toEqual([])
  expect(clock.sleeping).toBe(0)
})

it('says that the database does not answer, and makes the checks that need none', async () => {
  const { examine } = open(async () => [FINE], { databaseAnswers: async () => false, details: async () => down() })
  const report = await examine()
  expect(failed(report, null)).toMatchObject([{ id: 'database' }])
  expect(failed(report, 'telegram')).toMatchObject([{ id: 'own_state', detail: expect.stringContaining('database') }])
  expect(getChecks(report, 'telegram')).toContainEqual(expect.objectContaining({ id: 'token_accepted' }))
})

it('says so too when the credentials are in the database that does not answer', async () => {
  const store = { read: async () => down() } as unknown as DoctorOptions['store'] // nothing else of it is used
  const { examine } = open(async () => [FINE], { databaseAnswers: async () => false, store })
  const report = await examine()
  expect([report.ok, failed(report, null).map(({ id }) => id)]).toEqual([false, ['database', 'config_readable']])
})

it('warns of a log that cannot be read', async () => {
  const log = async function* (): AsyncGenerator<string> {
    yield '{}'
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  }
  const { examine } = open(async () => [FINE], { todaysLog: log })
  const report = await examine()
  expect(getChecks(report, 'telegram').find(({ id }) => id === 'log_today')).toMatchObject({
    status: 'warn',
    detail: expect.stringContaining("Couldn't read") as unknown,
  })
})

const CHECKED_AT = Date.parse('2026-11-21T12:00:00.000Z')
const at = (offsetS: number): string => new Date(CHECKED_AT + offsetS * 1_000).toUTCString()

const cases: readonly [why: string, headers: Record<string, string>, status: string | undefined][] = [
  ['the same time', { date: at(0) }, 'pass'],
  ['a minute apart', { date: at(60) }, 'pass'],
  ['two minutes apart', { date: at(-120) }, 'fail'],
  ['no time', {}, undefined],
  ['a time that is none', { date: 'soon' }, undefined],
  ['the time at which a cache got what it has kept', { date: at(-7_200), age: '7200' }, undefined],
]
it.each(cases)('tells whether the clock is right by an answer with %s', async (_why, headers, status) => {
  const watch = watchClock(async () => new Response('', { headers }), manualClock(CHECKED_AT))
  await watch.fetch('https://example.org')
  expect(watch.check()[0]?.status).toBe(status)
})
