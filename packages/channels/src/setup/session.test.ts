import { expect, it } from 'vitest'
import { ChannelError } from '../errors.ts'
import { manualClock } from '../testing/clock.ts'
import { SetupFailure, type SetupGuide, type SetupWorld } from './guide.ts'
import { SetupSession } from './session.ts'

const never = new AbortController().signal
const quiet = (): void => undefined
const CODE = 'https://example.org/q/1'
const WAITING = { state: 'waiting', url: CODE, scannable: true, expiresAtMs: 9, message: 'Scan it.' } as const
const TOKEN = { message: 'Paste it.', fields: [{ name: 'bot_token', label: 'the token', secret: true }] } as const

function open(run: SetupGuide['run'], save: SetupWorld['save'] = async () => {}) {
  const clock = manualClock(1_000)
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const io = { fetch, clock, random: () => 0.5, log, host: (_: string, fallback: string) => fallback }
  const guide = { kind: 'qr', title: 'A code', instructions: ['Scan it.'], run } as const
  const options = { accountId: 'owner', platform: 'weixin', guide, io, stored: null, isRejected: false } as const
  const session = new SetupSession({
    ...options,
    save: (_signal, ...found) => save(...found),
    keep: async () => {},
    ended: quiet,
  })
  /** Resolves once the session is in this state. */
  const until = async (state: string): Promise<ReturnType<SetupSession['view']>> => {
    while (session.view().state !== state) await session.changed(session.view().version, 3_600_000, never)
    return session.view()
  }
  return { session, clock, until }
}

it('shows a code, then who confirmed it, and draws nothing any more', async () => {
  const confirmed = Promise.withResolvers<void>()
  const { until } = open(async ({ show, save }) => {
    show(WAITING)
    await confirmed.promise
    await save({ token: 'made-up' }, { id: 'ann' })
  })
  expect(await until('waiting')).toMatchObject({ url: CODE, qr: expect.stringContaining('<svg'), expires_at: 9 })
  confirmed.resolve()
  const done = await until('done')
  expect(done).toMatchObject({ saved: true, first_user: { id: 'ann', name: null }, error: null })
  expect(done).not.toHaveProperty('qr')
})

it('asks, and goes on with the answer', async () => {
  const saved: unknown[] = []
  const { session, until } = open(
    async ({ ask, save }, signal) => save(await ask(TOKEN, signal)),
    async (fields) => void saved.push(fields),
  )
  expect(await until('input_needed')).toMatchObject({ fields: TOKEN.fields, message: 'Paste it.' })
  expect(() => session.answer({ bot_token: ' ' })).toThrow('bot_token')
  session.answer({ bot_token: 'made-up' })
  expect(() => session.answer({ bot_token: 'again' })).toThrow(ChannelError)
  await until('done')
  expect(saved).toEqual([{ bot_token: 'made-up' }])
})

const ends: readonly [why: string, run: SetupGuide['run'], error: string][] = [
  ['expires', () => Promise.reject(new SetupFailure('expired')), 'expired'],
  [
    'is refused by the platform',
    () => Promise.reject(new ChannelError('credentials_rejected')),
    'credentials_rejected',
  ],
  ['fails in an unforeseen way', () => Promise.reject(new TypeError('a secret')), 'internal'],
]
it.each(ends)('tells how it ended when it %s', async (_why, run, error) => {
  const { until } = open(run)
  const view = await until('failed')
  expect(view).toMatchObject({ error, saved: false })
  expect(JSON.stringify(view)).not.toContain('a secret')
})

it.each([
  ['a script', 'javascript:alert(1)'],
  ['lines of its own', 'https://example.org/q\nAPP_ID:other'],
  ['a word for the terminal', 'https://example.org/\u001b]0;x'],
  ['more than a code holds', `https://example.org/${'漢'.repeat(900)}`],
])('shows nobody an address of the platform with %s', async (_why, url) => {
  const { until } = open(async ({ show }) => show({ ...WAITING, url }))
  const view = await until('failed')
  expect(view).toMatchObject({ error: 'unreachable' })
  expect(view).not.toHaveProperty('url')
})

it('saves nothing any more once it is cancelled', async () => {
  const confirmed = Promise.withResolvers<void>()
  const saved: unknown[] = []
  const { session, until } = open(
    async ({ show, save }) => {
      show(WAITING)
      await confirmed.promise
      await save({ token: 'made-up' }).finally(() => saved.push('tried'))
    },
    async (fields) => void saved.push(fields),
  )
  await until('waiting')
  session.cancel()
  confirmed.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  expect(saved).toEqual(['tried'])
  expect(session.view()).toMatchObject({ state: 'failed', error: 'cancelled', saved: false })
})

it('tells that the credentials are there when it is cancelled while they are saved', async () => {
  const stored = Promise.withResolvers<void>()
  const { session, until } = open(
    async ({ show, save }) => {
      show(WAITING)
      await save({ token: 'made-up' })
    },
    () => stored.promise,
  )
  const { version } = await until('waiting')
  session.cancel()
  stored.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  expect(session.view()).toMatchObject({
    saved: true,
    message: expect.stringContaining('already been saved') as unknown,
  })
  expect(session.view().version).toBeGreaterThan(version + 1)
})

it('takes only what it has asked for, and never draws the page of a question', async () => {
  const given: unknown[] = []
  const { session, until } = open(async ({ show, ask }, signal) => {
    show(WAITING)
    given.push(await ask({ ...TOKEN, url: 'https://example.org/console' }, signal))
  })
  const asking = await until('input_needed')
  expect(asking).toMatchObject({ url: 'https://example.org/console' })
  expect(asking).not.toHaveProperty('qr')
  session.answer({ bot_token: 'made-up', allowed_users: 'eve' })
  await until('done')
  expect(given).toEqual([{ bot_token: 'made-up' }])
})

it('ends for the guide too when it is cancelled, and when nobody comes for two hours', async () => {
  for (const how of ['cancelled', 'expired'] as const) {
    const left = Promise.withResolvers<void>()
    const { session, clock, until } = open(async ({ ask }, signal) => {
      await ask(TOKEN, signal).finally(() => left.resolve())
    })
    await until('input_needed')
    if (how === 'cancelled') session.cancel()
    else await clock.advance(2 * 60 * 60 * 1_000)
    await left.promise
    expect(await until('failed')).toMatchObject({ error: how, fields: [] })
  }
})

it('answers a waiting caller at the change, or when the time is over', async () => {
  const next = Promise.withResolvers<void>()
  const { session, clock, until } = open(async ({ show }) => {
    show(WAITING)
    await next.promise
    show({ state: 'scanned', message: 'Confirm.' })
    await new Promise(() => {})
  })
  const { version } = await until('waiting')
  const patient = session.changed(version, 5_000, never)
  await clock.advance(5_000)
  await patient
  expect(session.view().version).toBe(version)
  const waiting = session.changed(version, 5_000, never)
  next.resolve()
  await waiting
  expect(session.view()).toMatchObject({ state: 'scanned', message: 'Confirm.' })
  session.cancel()
})
