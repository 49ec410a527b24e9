import { expect, it } from 'vitest'
import type { Platforms } from '../bound-platform.ts'
import type { CredentialStore } from '../config/credential-store.ts'
import type { Saver } from '../config/saver.ts'
import { manualClock } from '../testing/clock.ts'
import { fakePlatform } from '../testing/fake-platform.ts'
import { OTHER, OWNER, refusal } from '../testing/service-world.ts'
import { SetupFailure, type SetupGuide } from './guide.ts'
import { createSetups } from './setups.ts'

const MINUTE_MS = 60_000
const quiet = (): void => undefined
const HOW = { kind: null, fields: {} } as const
const getCode = (n: number): string => `https://example.org/q/${n}`

/** Setups whose guide is `run`, of a platform that stores `token` and `base_url`. */
function open(run: SetupGuide['run'], isCodeUrl?: SetupGuide['isCodeUrl']) {
  const clock = manualClock(1_000)
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const io = { fetch, clock, random: () => 0.5, log, host: (_: string, fallback: string) => fallback }
  const guide = {
    kind: 'qr',
    title: 'A code',
    instructions: ['Scan it.'],
    run,
    ...(isCodeUrl && { isCodeUrl }),
  } as const
  const { platform } = fakePlatform(clock)
  const one = { ...platform, setups: [guide], secrets: ['token'], fields: ['token', 'base_url'] }
  const platforms = { telegram: one, weixin: one } as unknown as Platforms // the others are not asked for
  const store = { read: async () => ({}) } as unknown as CredentialStore // nothing else of it is used
  const setupStore = {
    save: async () => {},
    claim: async () => null,
    remove: async () => {},
    removeAll: async () => {},
  }
  const saver = { saveFor: async () => undefined } as unknown as Saver // likewise
  return { clock, setups: createSetups({ io, platforms, store, saver, setupStore, isRejected: async () => false }) }
}

/** Shows a code of its own and waits until nobody does any more. */
function showing(): SetupGuide['run'] {
  let codes = 0
  return async ({ show }, signal) => {
    codes += 1
    show({ state: 'waiting', url: getCode(codes), scannable: true, message: 'Scan it.' })
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  }
}

it('shows a set-up to nobody but the account that began it, and on its platform alone', async () => {
  const { setups } = open(showing())
  const { id } = await setups.start(OWNER, 'telegram', HOW)
  const look = { version: null, waitMs: 0, signal: new AbortController().signal }
  for (const of of [
    { ...OTHER, platform: 'telegram', id },
    { ...OWNER, platform: 'weixin', id },
    { ...OWNER, platform: 'telegram', id: 'x' },
  ] as const) {
    expect(await refusal(setups.view(of, look))).toMatchObject({ code: 'unknown_setup' })
    expect(() => setups.answer(of, {})).toThrow('Unknown setup')
    expect(() => setups.cancel(of)).toThrow('Unknown setup')
  }
  expect(await setups.view({ ...OWNER, platform: 'telegram', id }, look)).toMatchObject({ state: 'waiting' })
  setups.close()
})

it('refuses what could not be saved at the end before anybody has scanned', async () => {
  const { setups } = open(showing())
  const error = await refusal(setups.start(OWNER, 'telegram', { kind: null, fields: { domain: 'x' } }))
  expect(error).toMatchObject({ code: 'credentials_invalid', details: { field: 'domain' } })
  const allowed = setups.start(OWNER, 'telegram', { kind: null, fields: { base_url: 'https://example.org' } })
  expect(await allowed).toMatchObject({ state: 'waiting' })
  setups.close()
})

it('refuses the eleventh set-up of an account while people follow the others, and no other account', async () => {
  const { setups } = open(showing())
  for (let n = 0; n < 10; n += 1) await setups.start(OWNER, 'telegram', HOW)
  expect(await refusal(setups.start(OWNER, 'telegram', HOW))).toMatchObject({ code: 'too_many_setups' })
  expect(await setups.start(OTHER, 'telegram', HOW)).toMatchObject({ state: 'waiting' })
  setups.close()
})

it('gives up what nobody has looked at for a while, when there are too many', async () => {
  const { clock, setups } = open(showing())
  const ids: string[] = []
  for (let n = 0; n < 10; n += 1) ids.push((await setups.start(OWNER, 'telegram', HOW)).id)
  const of = (id = ''): { accountId: string; platform: 'telegram'; id: string } => ({
    ...OWNER,
    platform: 'telegram',
    id,
  })
  const look = { version: null, waitMs: 0, signal: new AbortController().signal }
  await clock.advance(11 * MINUTE_MS)
  for (const id of ids.slice(1)) await setups.view(of(id), look)
  expect(await setups.start(OWNER, 'telegram', HOW)).toMatchObject({ state: 'waiting' })
  expect(await setups.view(of(ids[0]), look)).toMatchObject({ state: 'failed', error: 'expired' })
  expect(await setups.view(of(ids[1]), look)).toMatchObject({ state: 'waiting' })
  setups.close()
})

it('tells the page of a code that it has expired: with the set-up, and when it is replaced', async () => {
  const replace = Promise.withResolvers<void>()
  const { setups } = open(async ({ show }) => {
    show({ state: 'waiting', url: getCode(1), scannable: true, message: 'Scan it.' })
    await replace.promise
    show({ state: 'waiting', url: getCode(2), scannable: true, message: 'Scan this one.' })
    await new Promise((resolve) => setImmediate(resolve))
    throw new SetupFailure('expired')
  })
  await setups.start(OWNER, 'telegram', HOW)
  const now = (): unknown => [setups.findStateByCode(getCode(1), 0), setups.findStateByCode(getCode(2), 0)]
  expect(now()).toEqual(['waiting', null])
  replace.resolve()
  await replace.promise
  await Promise.resolve()
  expect(now()).toEqual(['expired', 'waiting'])
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  expect(now()).toEqual(['expired', 'expired'])
})

it('forgets those that have ended: the oldest when there are many, and all after a while', async () => {
  const { clock, setups } = open(async ({ show }) => {
    show({ state: 'waiting', url: getCode(clock.now()), scannable: true, message: 'Scan it.' })
    await new Promise((resolve) => setImmediate(resolve))
  })
  const ids: string[] = []
  for (let n = 0; n < 150; n += 1) {
    ids.push((await setups.start(OWNER, 'telegram', HOW)).id)
    await clock.advance(1)
  }
  const look = { version: null, waitMs: 0, signal: new AbortController().signal }
  const view = (id = ''): Promise<unknown> => setups.view({ ...OWNER, platform: 'telegram', id }, look)
  expect(await refusal(view(ids[0]))).toMatchObject({ code: 'unknown_setup' })
  expect(await view(ids.at(-1))).toMatchObject({ state: 'done' })
  expect([setups.findStateByCode(getCode(1_000), 0), setups.findStateByCode(getCode(1_149), 0)]).toEqual([null, 'done'])
  await clock.advance(16 * MINUTE_MS)
  await setups.start(OWNER, 'telegram', HOW)
  expect(await refusal(view(ids.at(-1)))).toMatchObject({ code: 'unknown_setup' })
})

it('knows the codes that it has shown, and those of a platform by their address', async () => {
  const { setups } = open(showing(), (url) => url.startsWith('https://code.example/'))
  expect(setups.isCode(getCode(1))).toBe(false)
  await setups.start(OWNER, 'weixin', HOW)
  expect([getCode(1), getCode(2), 'https://code.example/q/9'].map((url) => setups.isCode(url))).toEqual([
    true,
    false,
    true,
  ])
  setups.close()
})
