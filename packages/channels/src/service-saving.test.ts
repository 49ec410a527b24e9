import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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

describe.each(testDatabases)('saving channels on %s', (_name, open) => {
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
    await world.until(async () => (await node.channels.metrics()).queued === 0)
  }
  const bodies = async (): Promise<string[]> => (await world.control.sent()).map(({ text }) => text)

  describe('the list', () => {
    it('has every platform with exactly the fields of the contract', async () => {
      const base = { enabled: false, running: false, has_config: false }
      const unconfigured: object[] = [
        { platform: 'feishu', ...base, app_id: '', domain: '', allowed_users: [] },
        { platform: 'wecom', ...base, bot_id: '' },
        { platform: 'weixin', ...base, has_token: false, base_url: 'https://ilinkai.weixin.qq.com', allowed_users: [] },
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
      ['a policy that is none', { group_policy: 'some' }, 'group_policy'],
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

    it('answers in groups as it is told from the next message on, also with new credentials', async () => {
      await enable()
      const policy = async (): Promise<string> => (await node.channels.details(OWNER, TELEGRAM)).group_policy
      expect(await policy()).toBe('allowed')
      await save({ group_policy: 'nobody' })
      await enable()
      expect(await policy()).toBe('nobody')
      await world.control.say({ from: ANN, chat: -1_001, text: '/hello' })
      await known(BEN)
      const { items } = await node.channels.messages(OWNER, TELEGRAM, { limit: 10, before: null })
      expect(items.map(({ chat, reason }) => [chat.kind, reason])).toEqual([
        ['direct', null],
        ['group', 'groups_not_answered'],
      ])
      await save({ group_policy: 'allowed' })
      expect(await policy()).toBe('allowed')
    })

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
})
