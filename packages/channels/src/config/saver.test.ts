import { expect, it } from 'vitest'
import type { ChannelPlatform } from '../bound-platform.ts'
import type { Validation } from '../platform.ts'
import type { ChannelRuntime } from '../supervisor/channel-runtime.ts'
import { type ChannelReport, emptyReport } from '../supervisor/report.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import { manualClock } from '../testing/clock.ts'
import { fakePlatform } from '../testing/fake-platform.ts'
import { OTHER, OWNER, refusal } from '../testing/service-world.ts'
import type { CredentialStore, StoredChannel } from './credential-store.ts'
import { createSaver } from './saver.ts'

const OWN = OWNER.accountId
const GOOD = { secret: 'good' }
const BAD = { secret: 'bad' }
const quiet = (): void => undefined
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** One bot, `42`, whose secret is proved by a connection that ends when `prove` is called. */
function open(others: { readonly usedBy?: string; readonly holder?: ChannelReport } = {}) {
  const clock = manualClock(1_000)
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const io = { fetch, clock, random: () => 0.5, log, host: (_: string, fallback: string) => fallback }
  let stored: StoredChannel | undefined
  let report = emptyReport('owner/telegram/42', 'stopped', 1_000)
  let proof = Promise.withResolvers<void>()
  const validations: unknown[] = []
  const store = {
    read: async () => (stored ? { telegram: stored } : {}),
    change: async (_account, _platform, change) => {
      stored = change(stored)
    },
  } as Partial<CredentialStore> as CredentialStore // the rest is not used
  const runtime = {
    bot: 'owner/telegram/42',
    leaseName: 'telegram/42',
    report: () => report,
    settled: () => proof.promise,
  } as Partial<ChannelRuntime> as ChannelRuntime // likewise
  const supervisor = {
    apply: async () => {
      if (report.state !== 'standby') report = { ...report, state: 'connecting' }
    },
    runtime: () => (stored?.enabled ? runtime : null),
    usedByAnother: (account: string) => others.usedBy !== undefined && others.usedBy !== account,
  } as Partial<Supervisor> as Supervisor // likewise
  const platform: ChannelPlatform = {
    ...fakePlatform(clock).platform,
    secrets: ['secret'],
    fields: ['secret'],
    provedByConnecting: true,
    read: (raw) => ({
      stored: raw as Record<string, unknown>, // as this test wrote it
      identity: '42',
      customServer: () => null,
      leaseName: () => 'telegram/42',
      validate: async (): Promise<Validation> => {
        validations.push(raw)
        return { ok: true, identity: '42', name: 'asked' }
      },
      connect: () => fakePlatform(clock).connect(),
      diagnose: async () => [],
    }),
  }
  const saver = createSaver({
    store,
    supervisor,
    io,
    maxChannels: 6,
    access: { ioFor: () => io, check: async () => undefined },
    report: async (of) => (of && report.state === 'standby' ? (others.holder ?? report) : (of?.report() ?? null)),
    isHeld: async () => others.holder !== undefined,
  })
  return {
    saver,
    platform,
    validations,
    clock,
    save: (body: object) => saver.save(OWN, platform, body),
    stored: () => stored,
    /** As a person does in the file. */
    edit: (credentials: object) => void (stored = { enabled: true, allowedUsers: [], credentials: { ...credentials } }),
    become: (state: ChannelReport['state']) => void (report = { ...report, state }),
    /** What becomes of the connection under way. */
    async prove(state: ChannelReport['state']): Promise<void> {
      await settle()
      report = { ...report, state }
      proof.resolve()
      proof = Promise.withResolvers<void>()
      await settle()
      // what was put back is waited for, but not for ever
      await clock.advance(5_000)
      await settle()
    },
  }
}

async function saved(): Promise<ReturnType<typeof open>> {
  const world = open()
  const saving = world.save(GOOD)
  await world.prove('running')
  await saving
  return world
}

it('puts back what was there before when the platform rejects what was saved', async () => {
  const first = open()
  const rejected = refusal(first.save(BAD))
  await first.prove('rejected')
  expect(await rejected).toMatchObject({ code: 'credentials_rejected' })
  expect(first.stored()).toBeUndefined()
  const { save, prove, stored } = await saved()
  const again = refusal(save(BAD))
  await prove('rejected')
  expect([(await again).code, stored()?.credentials]).toEqual(['credentials_rejected', GOOD])
})

it('keeps the settings that were changed while it was being proved', async () => {
  const { save, saver, platform, prove, stored } = await saved()
  const rejected = refusal(save(BAD))
  await settle()
  await Promise.all([saver.disable(OWN, platform), saver.save(OWN, platform, { allowed_users: ['ann'] })])
  await prove('rejected')
  await rejected
  expect(stored()).toEqual({ enabled: false, allowedUsers: ['ann'], credentials: GOOD })
})

it('proves one after the other: what was never proved is not put back', async () => {
  const { save, prove, stored } = await saved()
  const both = Promise.all([refusal(save(BAD)), refusal(save({ secret: 'worse' }))])
  await prove('rejected')
  await prove('rejected')
  expect((await both).map(({ code }) => code)).toEqual(['credentials_rejected', 'credentials_rejected'])
  expect(stored()?.credentials).toEqual(GOOD)
})

it('leaves alone what somebody else has saved meanwhile', async () => {
  const { save, prove, stored, edit } = await saved()
  const slow = refusal(save(BAD))
  await settle()
  edit({ secret: 'by hand' })
  await prove('rejected')
  await slow
  expect(stored()?.credentials).toEqual({ secret: 'by hand' })
})

const holder = emptyReport('owner/telegram/42', 'running', 1_000)

it('stores nothing of a bot that another account uses in another process', async () => {
  const held = { ...holder, state: 'standby', reason: 'bot_in_use' } as const
  const { save, prove, stored } = open({ holder: held })
  const refused = refusal(save(GOOD))
  await prove('standby')
  expect([(await refused).code, stored()]).toEqual(['bot_in_use', undefined])
})

it('ends no connection by a test: neither here nor in another process nor of another account', async () => {
  const here = await saved()
  expect(await here.saver.test(OWN, here.platform, undefined)).toMatchObject({ bot: { id: '42' } })
  expect(await refusal(here.saver.test(OWN, here.platform, BAD))).toMatchObject({ code: 'bot_in_use' })
  const elsewhere = open({ holder: { ...holder, toBotKey: 'held' } })
  const saving = elsewhere.save(GOOD)
  await elsewhere.prove('standby')
  await elsewhere.clock.advance(20_000)
  await saving
  expect(await elsewhere.saver.test(OWN, elsewhere.platform, undefined)).toMatchObject({ bot: { name: 'held' } })
  expect(await refusal(elsewhere.saver.test(OWN, elsewhere.platform, BAD))).toMatchObject({ code: 'bot_in_use' })
  const others = open({ usedBy: OTHER.accountId })
  expect(await refusal(others.saver.test(OWN, others.platform, GOOD))).toMatchObject({ code: 'bot_in_use' })
  const far = open({ holder: { ...holder, bot: 'other/telegram/42' } })
  expect(await refusal(far.saver.test(OWN, far.platform, GOOD))).toMatchObject({ code: 'bot_in_use' })
  expect([here, elsewhere, others, far].map(({ validations }) => validations.length)).toEqual([0, 0, 0, 0])
})

it('asks the platform where there is no connection to end', async () => {
  const { saver, platform, validations } = open()
  expect(await saver.test(OWN, platform, GOOD)).toMatchObject({ bot: { name: 'asked' } })
  const failing = await saved()
  failing.become('backing_off')
  expect(await failing.saver.test(OWN, failing.platform, BAD)).toMatchObject({ bot: { name: 'asked' } })
  expect(validations).toHaveLength(1)
})
