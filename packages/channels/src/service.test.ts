import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChannelEvent } from './channels.ts'
import {
  openServiceWorld,
  OTHER,
  OWNER,
  refusal,
  type ServiceNode,
  type ServiceWorld,
} from './testing/service-world.ts'

const ANN = { id: 42, first_name: 'Ann', username: 'ann' }
const BEN = { id: 43, first_name: 'Ben' }
const TELEGRAM = 'telegram'

describe.each(testDatabases)('the channels service on %s', (name, open) => {
  let world: ServiceWorld
  let node: ServiceNode
  beforeEach(async () => {
    world = await openServiceWorld(open)
    node = await world.start()
  })
  afterEach(() => world.close())

  const save = (body: unknown): Promise<void> => node.channels.save(OWNER, TELEGRAM, body)
  const enable = (): Promise<void> => save({ bot_token: world.token })
  const entry = async (): Promise<object | undefined> =>
    (await node.channels.list(OWNER)).find(({ platform }) => platform === TELEGRAM)
  const state = async (): Promise<string> => (await node.channels.details(OWNER, TELEGRAM)).state
  const answered = (count: number): Promise<void> =>
    world.until(async () => (await world.control.sent()).length >= count)
  const known = async (...people: { id: number; first_name: string }[]): Promise<void> => {
    const before = (await world.control.sent()).length
    for (const from of people) await world.control.say({ from, text: 'hello' })
    await answered(before + people.length)
    await world.until(async () => (await node.channels.figures()).queued === 0)
  }
  const bodies = async (): Promise<string[]> => (await world.control.sent()).map(({ text }) => text)

  describe('the list', () => {
    it('has every platform with exactly the fields of the contract', async () => {
      const base = { enabled: false, running: false, has_config: false }
      const unconfigured: object[] = [
        { platform: 'feishu', ...base, app_id: '', domain: '', allowed_users: [] },
        { platform: 'wecom', ...base, bot_id: '' },
        { platform: 'weixin', ...base, has_token: false, base_url: '', allowed_users: [] },
        { platform: 'discord', ...base, has_token: false, allowed_users: [] },
        {
          platform: 'telegram',
          ...base,
          has_token: false,
          base_url: world.url,
          parse_mode: 'Markdown',
          allowed_users: [],
        },
        { platform: 'dingtalk', ...base, client_id: '' },
      ]
      expect(await node.channels.list(OWNER)).toEqual(unconfigured)
      await save({ bot_token: world.token, base_url: `${world.url}//`, allowed_users: [42, '43', 42] })
      expect(await node.channels.list(OWNER)).toEqual(
        unconfigured.with(4, {
          platform: 'telegram',
          enabled: true,
          running: true,
          has_config: true,
          has_token: true,
          base_url: world.url,
          parse_mode: 'Markdown',
          allowed_users: ['42', '43'],
        }),
      )
      expect(await node.channels.list(OTHER)).toEqual(unconfigured)
    })
  })

  describe('saving', () => {
    it.each<[why: string, body: unknown, field: string]>([
      ['no object', [1], 'body'],
      ['null', null, 'body'],
      ['nothing', {}, 'bot_token'],
      ['an unknown field', { bot_token: `1:${'x'.repeat(30)}`, token: 'x' }, 'token'],
      ['a field of another platform', { app_secret: 'x' }, 'app_secret'],
      ['a token of the wrong shape', { bot_token: '123:short' }, 'bot_token'],
      ['a token that is a number', { bot_token: 123 }, 'bot_token'],
      ['a bound field without the secret', { base_url: 'http://127.0.0.1:1' }, 'base_url'],
      ['a base_url with a password', { bot_token: `1:${'x'.repeat(30)}`, base_url: 'http://a:b@c' }, 'base_url'],
      ['another scheme', { bot_token: `1:${'x'.repeat(30)}`, base_url: 'file:///etc/passwd' }, 'base_url'],
      ['enabled as text', { enabled: 'true' }, 'enabled'],
      ['allowed users that are none', { allowed_users: [{}] }, 'allowed_users'],
      ['an empty user', { allowed_users: [' '] }, 'allowed_users'],
      ['too many users', { allowed_users: Array.from({ length: 10_001 }, String) }, 'allowed_users'],
    ])('refuses %s, naming the field, before anybody is asked', async (_why, body, field) => {
      const error = await refusal(save(body))
      expect(error).toMatchObject({ code: 'credentials_invalid', status: 422, details: { field } })
      expect(error.message).toMatch(new RegExp(`^${field} `))
      expect(error.message).not.toContain('x'.repeat(10))
      expect(await world.control.requests()).toEqual([])
      expect(await entry()).toMatchObject({ has_config: false })
    })

    it.each([[{ enabled: true }], [{ enabled: false }], [{ allowed_users: ['42'] }], [{ parse_mode: 'HTML' }]])(
      'finds no credentials to change with %j',
      async (body) => {
        expect(await refusal(save(body))).toMatchObject({ code: 'no_credentials', status: 404 })
      },
    )

    it('repeats the word of the platform for a token that it rejects', async () => {
      const error = await refusal(save({ bot_token: `${world.token.split(':')[0]}:${'x'.repeat(35)}` }))
      expect(error).toMatchObject({ code: 'credentials_rejected', status: 422, message: 'Unauthorized' })
      expect(await entry()).toMatchObject({ has_config: false, enabled: false })
    })

    it('says that a platform cannot be reached, without the token', async () => {
      const error = await refusal(save({ bot_token: world.token, base_url: 'http://127.0.0.1:1' }))
      expect(error).toMatchObject({ code: 'platform_unreachable', status: 502 })
      expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(world.token.split(':')[1])
    })

    it('leaves the running channel and what is stored alone when the candidate fails', async () => {
      await enable()
      await world.until(async () => (await world.polls()) === 2)
      const before = await world.polls()
      const stored = await node.channels.list(OWNER)
      await refusal(save({ bot_token: `7:${'y'.repeat(35)}` }))
      await refusal(save({ bot_token: world.token, base_url: 'http://127.0.0.1:1' }))
      expect(await node.channels.list(OWNER)).toEqual(stored)
      expect(await world.polls()).toBe(before)
      await known(ANN)
      expect(await bodies()).toEqual(['echo: hello'])
    })

    it('swaps in another bot, which starts afresh', async () => {
      await enable()
      await known(ANN)
      const { id, token } = await world.control.createBot({})
      await save({ bot_token: token })
      expect(await node.channels.details(OWNER, TELEGRAM)).toMatchObject({
        state: 'running',
        bot: { id: String(id), name: expect.stringMatching(/^@/) as unknown },
        last_inbound_at: null,
      })
      expect(await node.channels.users(OWNER, TELEGRAM)).toEqual([])
      await world.until(async () => !((await world.control.bots())[0]?.polling ?? true))
      await world.control.say({ bot: id, from: BEN, text: 'new' })
      await world.until(async () => (await world.control.sent({ bot: id })).length === 1)
    })

    it('keeps the settings that have nothing to do with the credentials', async () => {
      await save({ bot_token: world.token, base_url: world.url, parse_mode: 'HTML', allowed_users: [42] })
      await save({ bot_token: world.token })
      expect(await entry()).toMatchObject({ parse_mode: 'HTML', allowed_users: ['42'], base_url: world.url })
      await save({ allowed_users: [] })
      expect(await entry()).toMatchObject({ parse_mode: 'HTML', allowed_users: [] })
    })

    it('refuses a bot that another account uses, also when it is enabled again', async () => {
      await enable()
      await node.channels.disable(OWNER, TELEGRAM)
      await node.channels.save(OTHER, TELEGRAM, { bot_token: world.token })
      expect(await refusal(enable())).toMatchObject({ code: 'bot_in_use', status: 409 })
      expect(await refusal(save({ enabled: true }))).toMatchObject({ code: 'bot_in_use', status: 409 })
      expect(await entry()).toMatchObject({ enabled: false, running: false })
      await node.channels.disable(OTHER, TELEGRAM)
      await save({ enabled: true })
      expect(await entry()).toMatchObject({ running: true })
    })

    it('tries a rejected token again when it is saved again', async () => {
      await enable()
      await world.control.revokeToken({})
      await world.control.say({ from: ANN, text: 'ends the poll that is held' })
      await world.until(async () => (await state()) === 'rejected')
      const polls = await world.polls()
      await world.clock.advance(120_000)
      expect(await world.polls()).toBe(polls)
      expect(await entry()).toMatchObject({ enabled: true, running: false, has_config: true })
      expect(await node.channels.details(OWNER, TELEGRAM)).toMatchObject({
        reason: 'credentials_rejected',
        message: 'Telegram rejected the bot token: Unauthorized',
      })
      await world.control.revokeToken({ token: world.token })
      await enable()
      expect(await state()).toBe('running')
    })
  })

  it('offers the platforms that it does not have yet with a clear answer', async () => {
    const { channels } = node
    const page = { limit: 10, before: null, dead: false }
    for (const work of [
      () => channels.save(OWNER, 'discord', { bot_token: 'x' }),
      () => channels.disable(OWNER, 'discord'),
      () => channels.test(OWNER, 'discord', undefined),
      () => channels.users(OWNER, 'discord'),
      () => channels.send(OWNER, 'discord', 'x', null),
      () => channels.messages(OWNER, 'discord', page),
      () => channels.deliveries(OWNER, 'discord', page),
      () => channels.delivery(OWNER, 'discord', 'x'),
      () => channels.resend(OWNER, 'discord', 'x'),
      () => channels.diagnose(OWNER, 'discord', AbortSignal.timeout(1_000)),
    ]) {
      const error = await refusal(work())
      expect(error).toMatchObject({ code: 'platform_not_built', status: 501 })
      expect(error.message).toBe('discord is not available in this version yet.')
    }
    expect(await channels.details(OWNER, 'discord')).toMatchObject({ state: 'stopped', bot: null })
  })

  it('has nothing to show of a channel without credentials', async () => {
    const { channels } = node
    const page = { limit: 10, before: null, dead: false }
    for (const work of [
      () => channels.disable(OWNER, TELEGRAM),
      () => channels.test(OWNER, TELEGRAM, undefined),
      () => channels.users(OWNER, TELEGRAM),
      () => channels.messages(OWNER, TELEGRAM, page),
      () => channels.deliveries(OWNER, TELEGRAM, page),
      () => channels.resend(OWNER, TELEGRAM, 'x'),
    ]) {
      expect(await refusal(work())).toMatchObject({ code: 'no_credentials', status: 404 })
    }
    expect(await refusal(channels.send(OWNER, TELEGRAM, 'x', null))).toMatchObject({ code: 'not_running', status: 400 })
    expect(await channels.details(OWNER, TELEGRAM)).toMatchObject({
      state: 'stopped',
      since: world.clock.now(),
      bot: null,
      queued: 0,
      gaps: [],
    })
  })

  it('tests credentials and stores nothing', async () => {
    const bot = { id: world.token.split(':')[0], name: '@gatepost_bot' }
    expect(await node.channels.test(OWNER, TELEGRAM, { bot_token: world.token })).toEqual({ bot })
    expect(await entry()).toMatchObject({ has_config: false })
    await enable()
    expect(await node.channels.test(OWNER, TELEGRAM, undefined)).toEqual({ bot })
    const error = await refusal(node.channels.test(OWNER, TELEGRAM, { bot_token: `7:${'y'.repeat(35)}` }))
    expect(error).toMatchObject({ code: 'credentials_rejected', message: 'Unauthorized' })
    expect(await state()).toBe('running')
  })

  it('answers after enabling what was said while it was disabled', async () => {
    await enable()
    await known(ANN)
    await world.clock.advance(1_000)
    await node.channels.disable(OWNER, TELEGRAM)
    expect(await entry()).toMatchObject({ enabled: false, running: false, has_config: true })
    expect(await node.channels.details(OWNER, TELEGRAM)).toMatchObject({ state: 'stopped', since: world.clock.now() })
    await world.control.say({ from: ANN, text: 'are you there?' })
    expect(await refusal(node.channels.send(OWNER, TELEGRAM, 'x', '42'))).toMatchObject({ code: 'not_running' })
    await save({ enabled: true })
    await answered(2)
    expect(await bodies()).toEqual(['echo: hello', 'echo: are you there?'])
  })

  it('asks who may write at every message, without a restart', async () => {
    await enable()
    await known(ANN)
    const polled = (await world.control.requests({ method: 'getMe' })).length
    await save({ allowed_users: ['43'] })
    await world.control.say({ from: ANN, text: 'still?' })
    await world.control.say({ from: BEN, text: 'me?' })
    await answered(2)
    expect(await bodies()).toEqual(['echo: hello', 'echo: me?'])
    expect(await world.control.requests({ method: 'getMe' })).toHaveLength(polled)
    const users = await node.channels.users(OWNER, TELEGRAM)
    expect(users.map(({ user_id, allowed }) => [user_id, allowed])).toEqual(
      expect.arrayContaining([
        ['42', false],
        ['43', true],
      ]),
    )
  })

  it('shows a secret nowhere', async () => {
    const events: ChannelEvent[] = []
    const ended = (async () => {
      for await (const event of node.channels.events(OWNER, AbortSignal.timeout(60_000))) events.push(event)
    })()
    await enable()
    await known(ANN)
    const shown = [
      await node.channels.list(OWNER),
      await node.channels.details(OWNER, TELEGRAM),
      await node.channels.users(OWNER, TELEGRAM),
      await node.channels.messages(OWNER, TELEGRAM, { limit: 9, before: null }),
      await node.channels.diagnose(OWNER, TELEGRAM, AbortSignal.timeout(5_000)),
    ]
    await world.control.revokeToken({})
    await world.control.say({ from: ANN, text: 'again' })
    await world.until(async () => (await state()) === 'rejected')
    shown.push(await node.channels.diagnose(OWNER, TELEGRAM, AbortSignal.timeout(5_000)))
    await node.stop()
    await ended
    const text = JSON.stringify([shown, events, world.log])
    expect(text).not.toContain(world.token.split(':')[1])
    expect(text).not.toContain('the secret key of the tests')
    expect(events.length).toBeGreaterThan(3)
  })

  describe('sending', () => {
    const send = (message: string, userId: string | null = null): Promise<{ deliveryId: string }> =>
      node.channels.send(OWNER, TELEGRAM, message, userId)

    it('needs somebody to send to', async () => {
      await enable()
      expect(await refusal(send('hi'))).toMatchObject({ code: 'no_known_users', status: 503 })
      await known(ANN)
      const { deliveryId } = await send('**done**')
      expect(await bodies()).toEqual(['echo: hello', 'done'])
      expect(await node.channels.delivery(OWNER, TELEGRAM, deliveryId)).toMatchObject({
        state: 'delivered',
        kind: 'send',
        user_id: '42',
      })
      await known(ANN, BEN)
      expect(await refusal(send('hi'))).toMatchObject({
        code: 'user_required',
        status: 422,
        details: { field: 'user_id' },
      })
      await send('for Ben', '43')
      expect((await world.control.sent({ chatId: 43 })).at(-1)?.text).toBe('for Ben')
    })

    it('writes to a chat that it has never seen, when the bot can', async () => {
      await enable()
      await world.control.say({ from: ANN, text: 'hello' })
      await answered(1)
      const group = await world.control.createGroup({ group: { id: -500, title: 'Team' } })
      await send('to all', String(group.id))
      expect((await world.control.sent({ chatId: group.id })).map(({ text }) => text)).toEqual(['to all'])
      const error = await refusal(send('hi', '999'))
      expect(error).toMatchObject({
        code: 'delivery_refused',
        status: 502,
        details: { reason: 'recipient_unreachable' },
      })
      expect(error.message).toMatch(/not found|initiate/)
      for (const nobody of ['Ann', '12x', '-']) {
        expect(await refusal(send('hi', nobody))).toMatchObject({ code: 'delivery_refused' })
      }
    })

    it('refuses a message that shows nothing, and stores nothing', async () => {
      await enable()
      await known(ANN)
      for (const message of [' ', '\n\n\t', '\u200b']) {
        expect(await refusal(send(message))).toMatchObject({ code: 'message_empty', status: 422 })
      }
      const { items } = await node.channels.deliveries(OWNER, TELEGRAM, { limit: 9, before: null, dead: false })
      expect(items).toHaveLength(1)
    })

    it('says that the person has blocked the bot, and sends it again when they are back', async () => {
      await enable()
      await known(ANN)
      await world.control.block({ chatId: 42 })
      const error = await refusal(send('hi'))
      expect(error).toMatchObject({ code: 'delivery_refused', details: { reason: 'recipient_unreachable' } })
      expect(error.message).toContain('blocked by the user')
      expect(await node.channels.users(OWNER, TELEGRAM)).toMatchObject([{ reachable: false }])
      const id = String(error.details['delivery'])
      expect(await node.channels.details(OWNER, TELEGRAM)).toMatchObject({ dead: 1 })
      expect(await refusal(node.channels.resend(OWNER, TELEGRAM, id))).toMatchObject({ code: 'delivery_refused' })
      await world.control.unblock({ chatId: 42 })
      await node.channels.resend(OWNER, TELEGRAM, id)
      expect(await bodies()).toEqual(['echo: hello', 'hi'])
      expect(await refusal(node.channels.resend(OWNER, TELEGRAM, id))).toMatchObject({
        code: 'delivery_not_dead',
        status: 409,
      })
      expect(await refusal(node.channels.resend(OWNER, TELEGRAM, 'x'))).toMatchObject({
        code: 'unknown_delivery',
        status: 404,
      })
    })

    it('does not put a delivery back that nobody would send', async () => {
      await enable()
      await known(ANN)
      await world.control.block({ chatId: 42 })
      const id = String((await refusal(send('hi'))).details['delivery'])
      await node.channels.disable(OWNER, TELEGRAM)
      expect(await refusal(node.channels.resend(OWNER, TELEGRAM, id))).toMatchObject({
        code: 'not_running',
        status: 400,
      })
      expect(await node.channels.details(OWNER, TELEGRAM)).toMatchObject({ dead: 1, queued: 0 })
    })

    it('tells that it waits when the platform is slow, and sends it once', async () => {
      await enable()
      await known(ANN)
      await world.control.injectFault({ kind: 'rate_limited', retryAfter: 60, method: 'sendMessage' })
      const sending = refusal(send('later'))
      await world.until(async () => (await world.control.requests({ method: 'sendMessage' })).length === 2)
      await world.until(
        () => Promise.race([sending.then(() => true), new Promise<boolean>((r) => setImmediate(() => r(false)))]),
        500,
      )
      const error = await sending
      expect(error).toMatchObject({ code: 'delivery_pending', status: 504 })
      const id = String(error.details['delivery'])
      await world.clock.advance(60_000)
      await world.until(async () => (await node.channels.delivery(OWNER, TELEGRAM, id)).state === 'delivered', 100)
      expect(await bodies()).toEqual(['echo: hello', 'later'])
    })
  })

  it('pages through what was said and sent, stable while more comes in', async () => {
    await enable()
    await known(ANN)
    for (const n of [1, 2, 3, 4]) await node.channels.send(OWNER, TELEGRAM, `n${n}`, null)
    const first = await node.channels.deliveries(OWNER, TELEGRAM, { limit: 2, before: null, dead: false })
    expect(first.items.map(({ text }) => text)).toEqual(['n4', 'n3'])
    await node.channels.send(OWNER, TELEGRAM, 'n5', null)
    const second = await node.channels.deliveries(OWNER, TELEGRAM, { limit: 2, before: first.next, dead: false })
    expect(second.items.map(({ text }) => text)).toEqual(['n2', 'n1'])
    const last = await node.channels.deliveries(OWNER, TELEGRAM, { limit: 2, before: second.next, dead: false })
    expect(last).toMatchObject({ items: [{ text: 'echo: hello' }], next: null })

    for (const n of [1, 2, 3]) {
      await world.control.say({ from: ANN, text: `m${n}` })
      await answered(6 + n)
    }
    const newest = await node.channels.messages(OWNER, TELEGRAM, { limit: 2, before: null })
    expect(newest.items.map(({ text }) => text)).toEqual(['m3', 'm2'])
    await world.control.say({ from: BEN, text: 'm4' })
    await answered(10)
    const older = await node.channels.messages(OWNER, TELEGRAM, { limit: 2, before: newest.next })
    expect(older).toMatchObject({
      items: [{ text: 'm1' }, { text: 'hello', from: { user_id: '42', name: 'Ann' } }],
      next: null,
    })
  })

  it('tells what happens in its order, to the account that it concerns', async () => {
    const events: ChannelEvent[] = []
    const others: ChannelEvent[] = []
    const over = new AbortController()
    const listening = [
      (async () => {
        for await (const event of node.channels.events(OWNER, over.signal)) events.push(event)
      })(),
      (async () => {
        for await (const event of node.channels.events(OTHER, over.signal)) others.push(event)
      })(),
    ]
    await enable()
    await known(ANN)
    await node.channels.disable(OWNER, TELEGRAM)
    over.abort()
    await Promise.all(listening)
    const short = events.map((event) =>
      event.type === 'state' ? event.state : event.type === 'message' ? event.message.state : event.delivery.state,
    )
    expect(short).toEqual(['running', 'received', 'answered', 'delivered', 'stopped'])
    expect(others).toEqual([])
  })

  it('counts what it does, and is ready while everything enabled runs', async () => {
    expect(await node.channels.readiness()).toEqual({ database: true, enabled: 0, running: 0 })
    await enable()
    await known(ANN)
    expect(await node.channels.readiness()).toEqual({ database: true, enabled: 1, running: 1 })
    expect(await node.channels.figures()).toMatchObject({
      channels: [{ platform: 'telegram', state: 'running' }],
      received: 1,
      turns: { answered: 1 },
      deliveries: { delivered: 1 },
      queued: 0,
      answerMs: { count: 1 },
    })
    await world.control.revokeToken({})
    await world.control.say({ from: ANN, text: 'x' })
    await world.until(async () => (await state()) === 'rejected')
    expect(await node.channels.readiness()).toEqual({ database: true, enabled: 1, running: 0 })
    node.database.failing = () => true
    expect(await node.channels.readiness()).toMatchObject({ database: false })
    node.database.failing = null
  })

  it('says what to do about each thing that is wrong', async () => {
    const checks = async (): Promise<[string, string][]> =>
      (await node.channels.diagnose(OWNER, TELEGRAM, AbortSignal.timeout(5_000))).map(({ id, status }) => [id, status])
    expect(await checks()).toEqual([
      ['config_readable', 'pass'],
      ['credentials_present', 'fail'],
    ])
    await enable()
    expect(await checks()).toEqual(
      expect.arrayContaining([
        ['config_readable', 'pass'],
        ['credentials_present', 'pass'],
        ['channel_running', 'pass'],
      ]),
    )
    await node.channels.disable(OWNER, TELEGRAM)
    const found = await node.channels.diagnose(OWNER, TELEGRAM, AbortSignal.timeout(5_000))
    expect(found.find(({ id }) => id === 'channel_running')).toMatchObject({
      status: 'fail',
      remedy: 'Run: npx gatepost enable telegram',
    })
    for (const check of found) if (check.status === 'fail') expect(check.remedy).toBeTruthy()
  })

  it('stops within its time while a send hangs, and the next process finds out what became of it', async () => {
    await enable()
    await known(ANN)
    await world.control.injectFault({ kind: 'hang', method: 'sendMessage' })
    const sending = refusal(node.channels.send(OWNER, TELEGRAM, 'slow', null))
    await world.until(async () => (await world.control.requests({ method: 'sendMessage' })).length === 2)
    await node.stop(50)
    await world.clock.advance(10_000)
    expect((await sending).code).toMatch(/^delivery_(pending|unknown)$/)
    node = await world.start()
    await world.until(async () => (await node.channels.details(OWNER, TELEGRAM)).queued === 0, 500)
    expect((await bodies()).filter((text) => text === 'slow').length).toBeLessThanOrEqual(1)
  })

  describe.runIf(name === 'sqlite')('the file', () => {
    const file = (): string => path.join(world.dataDir, 'accounts', 'owner', 'channels.yml')
    /** The watch looks every two seconds. */
    const watched = (): Promise<void> => world.clock.advance(2_000)

    it('is taken over when it is edited by hand, without a restart', async () => {
      await mkdir(path.dirname(file()), { recursive: true })
      await writeFile(file(), `platform_e:\n  bot_token: ${world.token}\n  allowed_users: [42]\n`)
      await watched()
      await world.until(async () => (await state()) === 'running')
      expect(await entry()).toMatchObject({ enabled: true, running: true, allowed_users: ['42'] })
      await writeFile(file(), `platform_e:\n  enabled: false\n  bot_token: ${world.token}\n`)
      await watched()
      await world.until(async () => (await state()) === 'stopped')
      await rm(file())
      await watched()
      expect(await entry()).toMatchObject({ has_config: false })
    })

    it('is neither overwritten nor obeyed while it is broken', async () => {
      await enable()
      const good = await readFile(file(), 'utf8')
      const broken = `${good}  bot_token: "s3cret\n`
      await writeFile(file(), broken)
      await watched()
      await world.until(() => world.log.some((line) => line.includes('cannot be used')))
      for (const work of [
        enable,
        () => save({ enabled: false }),
        () => node.channels.disable(OWNER, TELEGRAM),
        () => node.channels.list(OWNER),
      ]) {
        const error = await refusal(work())
        expect(error).toMatchObject({ code: 'config_broken', status: 503 })
        expect(error.message).toMatch(/line \d+, column \d+/)
      }
      expect(await readFile(file(), 'utf8')).toBe(broken)
      await world.control.say({ from: ANN, text: 'hello' })
      await answered(1)
      const complaints = world.log.filter((line) => line.includes('cannot be used')).length
      await world.clock.advance(20_000)
      expect(world.log.filter((line) => line.includes('cannot be used'))).toHaveLength(complaints)
      expect(world.log.join('\n')).not.toContain('s3cret')
      const [check] = await node.channels.diagnose(OWNER, TELEGRAM, AbortSignal.timeout(1_000))
      expect(check).toMatchObject({ id: 'config_readable', status: 'fail' })
      await writeFile(file(), good)
      await node.channels.disable(OWNER, TELEGRAM)
      expect(await entry()).toMatchObject({ enabled: false })
    })

    it('shows credentials of the wrong form as what they are', async () => {
      await mkdir(path.dirname(file()), { recursive: true })
      await writeFile(file(), `telegram:\n  bot_token: s3cret\n  stray: 1\n`)
      await chmod(file(), 0o644)
      await watched()
      expect(await entry()).toMatchObject({ enabled: true, running: false, has_config: true, has_token: false })
      const details = await node.channels.details(OWNER, TELEGRAM)
      expect(details).toMatchObject({ state: 'stopped', reason: 'config_broken', bot: null })
      expect(JSON.stringify([details, world.log])).not.toContain('s3cret')
      await enable()
      expect(await entry()).toMatchObject({ running: true, has_token: true })
      expect((await stat(file())).mode & 0o777).toBe(0o600)
      await writeFile(file(), `telegram:\n  bot_token: ''\n`)
      expect(await entry()).toMatchObject({ has_config: false })
      expect(await refusal(save({ enabled: true }))).toMatchObject({ code: 'no_credentials' })
    })
  })
})
