import type { Assistant } from '../../assistant/assistant.ts'
import { testDatabases } from '@gatepost/sql/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  OTHER,
  OWNER,
  openServiceWorld,
  refusal,
  type ServiceNode,
  type ServiceWorld,
} from '../../testing/service-world.ts'
import { startWeixinWorld, type WeixinWorld } from './weixin.contract.ts'

const WEIXIN = 'weixin'
const ANN = 'ann@im.wechat'

interface Journey {
  readonly service: ServiceWorld
  readonly phone: WeixinWorld
  start(options?: Parameters<ServiceWorld['start']>[0]): Promise<ServiceNode>
}

type Open = (typeof testDatabases)[number][1]

async function begin(open: Open | undefined = testDatabases[0]?.[1]): Promise<Journey> {
  if (open === undefined) throw new Error('no database')
  const service = await openServiceWorld(open)
  onTestFinished(() => service.close())
  const phone = await startWeixinWorld()
  onTestFinished(() => phone.close())
  const hosts = { GATEPOST_WEIXIN_API_URL: phone.emulator.url, GATEPOST_WEIXIN_CDN_URL: phone.emulator.cdnUrl }
  return { service, phone, start: (options) => service.start({ hosts, ...options }) }
}

const waitForEver: Assistant['reply'] = async function* (_turn, signal) {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  yield { type: 'text', text: 'never' }
}

const texts = async (phone: WeixinWorld): Promise<readonly string[]> =>
  (await phone.control.sent({ chatId: ANN })).map(({ text }) => text)

async function answeredTo({ service, phone }: Journey, text: string): Promise<void> {
  await phone.say(text)
  await service.until(async () => (await texts(phone)).includes(`echo: ${text}`))
}

it('is set up by a scan, answers, sends, is disabled and enabled, and is found in order', async () => {
  const journey = await begin()
  const { service, phone } = journey
  const { channels } = await journey.start()
  const { id } = await channels.setups.start(OWNER, WEIXIN, { kind: null, fields: {} })
  await phone.control.scan({ act: 'confirm', userId: ANN })
  const of = { ...OWNER, platform: WEIXIN, id } as const
  const wait = { version: null, waitMs: 0, signal: new AbortController().signal }
  await service.until(async () => (await channels.setups.view(of, wait)).state === 'done', 1_000)
  expect(await channels.setups.view(of, wait)).toMatchObject({ saved: true, first_user: { id: ANN } })
  expect((await channels.list(OWNER)).find(({ platform }) => platform === WEIXIN)).toEqual({
    platform: WEIXIN,
    enabled: true,
    running: true,
    has_config: true,
    has_token: true,
    base_url: phone.emulator.url,
    allowed_users: [ANN],
  })
  expect(await refusal(channels.send(OWNER, WEIXIN, 'too early', null))).toMatchObject({ code: 'no_known_users' })
  await answeredTo(journey, 'hello')
  await channels.send(OWNER, WEIXIN, 'by the **way**', null)
  expect(await channels.users(OWNER, WEIXIN)).toMatchObject([{ user_id: ANN, reachable: true, sends_left: 7 }])
  await channels.disable(OWNER, WEIXIN)
  expect(await refusal(channels.send(OWNER, WEIXIN, 'while it is off', null))).toMatchObject({ code: 'not_running' })
  await channels.save(OWNER, WEIXIN, { enabled: true })
  await channels.send(OWNER, WEIXIN, 'still known', null)
  expect(await texts(phone)).toEqual(['echo: hello', 'by the **way**', 'still known'])
  const checks = await channels.diagnose(OWNER, WEIXIN, new AbortController().signal)
  // the clock of this test stands still, and it writes no log file
  const notPassed = checks.filter(({ id, status }) => status !== 'pass' && id !== 'clock' && id !== 'log_today')
  expect(notPassed).toEqual([])
  expect(checks.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['token_accepted', 'cdn_reachable', 'polls_answered']),
  )
  expect(service.log.join('\n')).not.toContain((await phone.control.bot()).credentials['token'])
})

it('needs a new message after a restart, and answers what was said meanwhile once', async () => {
  const journey = await begin()
  const { service, phone } = journey
  const first = await journey.start()
  await first.channels.save(OWNER, WEIXIN, phone.credentials)
  await answeredTo(journey, 'hello')
  await first.stop()
  const second = await journey.start()
  await service.until(async () => (await second.channels.details(OWNER, WEIXIN)).state === 'running')
  expect(await refusal(second.channels.send(OWNER, WEIXIN, 'x', ANN))).toMatchObject({
    code: 'no_context',
    status: 400,
  })
  await second.stop()
  await phone.say('anybody there?')
  const third = await journey.start()
  await service.until(async () => (await texts(phone)).length === 2)
  await third.channels.send(OWNER, WEIXIN, 'again', ANN)
  expect(await texts(phone)).toEqual(['echo: hello', 'echo: anybody there?', 'again'])
})

it.each(testDatabases)(
  'answers after a restart what it had not answered before, on %s, but sends nothing else',
  async (_name, open) => {
    const journey = await begin(open)
    const { service, phone } = journey
    const first = await journey.start({ assistant: { reply: waitForEver } })
    await first.channels.save(OWNER, WEIXIN, phone.credentials)
    await phone.say('hello')
    const row = async () => service.test.database.db.selectFrom('message').selectAll().executeTakeFirst()
    await service.until(async () => typeof (await row())?.reply_context === 'string')
    await first.stop(0)
    const gate = Promise.withResolvers<void>()
    const second = await journey.start({
      assistant: {
        async *reply() {
          await gate.promise
          yield { type: 'text', text: 'here I am' }
        },
      },
    })
    await service.until(async () => (await second.channels.details(OWNER, WEIXIN)).state === 'running')
    const refusedSend = await refusal(second.channels.send(OWNER, WEIXIN, 'x', ANN))
    expect(refusedSend).toMatchObject({ code: 'no_context', status: 400 })
    expect(await second.channels.users(OWNER, WEIXIN)).toMatchObject([
      { user_id: ANN, reachable: false, sends_left: 0 },
    ])
    gate.resolve()
    await service.until(async () => (await texts(phone)).length === 1)
    await service.until(async () => (await row())?.reply_context === null)
    expect(await texts(phone)).toEqual(['here I am'])
    expect(await refusal(second.channels.send(OWNER, WEIXIN, 'x', ANN))).toMatchObject({ code: 'no_context' })
    await phone.say('thanks')
    await service.until(async () => (await texts(phone)).length === 2)
    await second.channels.send(OWNER, WEIXIN, 'by the way', ANN)
    expect((await texts(phone)).at(-1)).toBe('by the way')
  },
)

it('refuses a notification when the quota is used up, and keeps an answer until the person writes', async () => {
  const journey = await begin()
  const { service, phone } = journey
  const { channels } = await journey.start()
  await channels.save(OWNER, WEIXIN, phone.credentials)
  await answeredTo(journey, 'hello')
  await phone.control.injectFault({ kind: 'refused', method: 'sendmessage', errmsg: '' })
  await phone.say('lost for now')
  await service.until(async () => (await channels.details(OWNER, WEIXIN)).queued === 1)
  await service.until(async () => (await channels.users(OWNER, WEIXIN))[0]?.sends_left === 0)
  expect(await refusal(channels.send(OWNER, WEIXIN, 'x', ANN))).toMatchObject({ code: 'quota_used_up', status: 429 })
  await phone.say('more')
  await service.until(async () => (await texts(phone)).length === 3, 100)
  expect(await texts(phone)).toEqual(['echo: hello', 'echo: lost for now', 'echo: more'])
})

it('rejects a token that Weixin does not take, and goes on with the one before', async () => {
  const journey = await begin()
  const { service, phone } = journey
  const { channels } = await journey.start()
  await channels.save(OWNER, WEIXIN, phone.credentials)
  expect(await refusal(channels.save(OWNER, WEIXIN, phone.strangers))).toMatchObject({
    code: 'credentials_rejected',
    status: 422,
  })
  await answeredTo(journey, 'hello')
  await phone.revoke()
  await service.until(async () => (await channels.details(OWNER, WEIXIN)).state === 'rejected')
  expect(await channels.details(OWNER, WEIXIN)).toMatchObject({
    running: false,
    reason: 'credentials_rejected',
    message: 'The Weixin sign-in is no longer valid. Set up the channel again. (session timeout (-14))',
  })
})

it('is set up again by the same person when the log-in has expired', async () => {
  const journey = await begin()
  const { service, phone } = journey
  const { channels } = await journey.start()
  const scanned = async (): Promise<void> => {
    const { id } = await channels.setups.start(OWNER, WEIXIN, { kind: null, fields: {} })
    await phone.control.scan({ act: 'confirm', userId: ANN })
    const wait = { version: null, waitMs: 0, signal: new AbortController().signal }
    const view = () => channels.setups.view({ ...OWNER, platform: WEIXIN, id }, wait)
    await service.until(async () => ['done', 'failed'].includes((await view()).state), 1_000)
    expect(await view()).toMatchObject({ state: 'done', error: null })
  }
  await scanned()
  await phone.control.injectFault({ kind: 'session_expired', method: 'getupdates' })
  await service.until(async () => (await channels.details(OWNER, WEIXIN)).state === 'rejected')
  await scanned()
  await answeredTo(journey, 'and again')
})

describe.each(testDatabases)('a setup in progress on %s', (_name, open) => {
  const wait = { version: null, waitMs: 0, signal: new AbortController().signal }

  it('survives a restart with its id and its code, sealed', async () => {
    const journey = await begin(open)
    const { service, phone } = journey
    const first = await journey.start()
    const begun = await first.channels.setups.start(OWNER, WEIXIN, { kind: null, fields: {} })
    const of = { ...OWNER, platform: WEIXIN, id: begun.id } as const
    const rows = () => service.test.database.db.selectFrom('setup').selectAll().execute()
    const [row] = await rows()
    const code = begun.url?.slice(-12) ?? ''
    expect(Buffer.from(row?.sealed ?? '', 'base64url').toString('latin1')).not.toContain(code)
    expect(JSON.stringify(row)).not.toContain(code)

    const other = await journey.start()
    expect(await refusal(other.channels.setups.view(of, wait))).toMatchObject({ code: 'unknown_setup' })
    await other.stop()
    await first.stop()
    const { channels } = await journey.start()
    for (const wrong of [{ ...of, ...OTHER }, { ...of, platform: 'dingtalk' } as const]) {
      expect(await refusal(channels.setups.view(wrong, wait))).toMatchObject({ code: 'unknown_setup' })
    }
    const resumed = await channels.setups.view(of, wait)
    expect(resumed).toMatchObject({ id: begun.id, state: 'waiting', url: begun.url, codes: 1 })
    expect([resumed.started_at, resumed.expires_at]).toEqual([begun.started_at, begun.expires_at])
    expect(resumed.version).toBeGreaterThan(begun.version)

    await phone.control.scan({ act: 'confirm', userId: ANN })
    // small steps: the code must not expire while the phone confirms it
    await service.until(async () => (await channels.setups.view(of, wait)).state === 'done', 1)
    await service.until(async () => (await rows()).length === 0)
    expect((await channels.list(OWNER)).find(({ platform }) => platform === WEIXIN)).toMatchObject({ has_config: true })
  })

  it.each<[why: string, end: (channels: ServiceNode['channels'], id: string) => unknown]>([
    ['cancelled', (channels, id) => channels.setups.cancel({ ...OWNER, platform: WEIXIN, id })],
    ['removed with its channel', (channels) => refusal(channels.forget(OWNER, WEIXIN))],
  ])('is not resumed once it is %s', async (_why, end) => {
    const journey = await begin(open)
    const { channels, stop } = await journey.start()
    const { id } = await channels.setups.start(OWNER, WEIXIN, { kind: null, fields: {} })
    const rows = () => journey.service.test.database.db.selectFrom('setup').selectAll().execute()
    expect(await rows()).toHaveLength(1)
    await end(channels, id)
    await journey.service.until(async () => (await rows()).length === 0)
    await stop()
    const next = await journey.start()
    const of = { ...OWNER, platform: WEIXIN, id } as const
    expect(await refusal(next.channels.setups.view(of, wait))).toMatchObject({ code: 'unknown_setup' })
  })

  it('is not resumed once its code has expired, nor by an id that is none', async () => {
    const journey = await begin(open)
    const first = await journey.start()
    const { id } = await first.channels.setups.start(OWNER, WEIXIN, { kind: null, fields: {} })
    await first.stop()
    const { channels } = await journey.start()
    for (const wrong of ['x', '\u0000', `${id}\u0000`, id.toUpperCase()]) {
      const of = { ...OWNER, platform: WEIXIN, id: wrong } as const
      expect(await refusal(channels.setups.view(of, wait))).toMatchObject({ code: 'unknown_setup' })
    }
    await journey.service.clock.advance(300_000)
    const of = { ...OWNER, platform: WEIXIN, id } as const
    expect(await refusal(channels.setups.view(of, wait))).toMatchObject({ code: 'unknown_setup' })
  })
})
