import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANN, type SixWorld, startSixWorld, until } from './testing/six-world.ts'

/** What callers get wrong, and what platforms refuse, as they see it. */

let world: SixWorld
beforeAll(async () => {
  world = await startSixWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const SECRET = 'made-up-secret-of-nobody-0123456789abcdef'

describe('credentials of the wrong form', () => {
  const cases: readonly [why: string, platform: string, body: object, sentence: RegExp][] = [
    ['a bot id without aib', 'wecom', { bot_id: 'wrongone12345', secret: SECRET }, /bot_id .*aib/],
    ['bot id and secret swapped', 'wecom', { bot_id: SECRET, secret: 'aibABCDEF123456' }, /swap|exchang/i],
    ['an app id of the wrong shape', 'feishu', { app_id: 'cli_short', app_secret: SECRET }, /app_id .*cli_/],
    ['an app id of another product', 'feishu', { app_id: 'ding0123456789abcdef', app_secret: SECRET }, /app_id/],
    ['a missing app secret', 'feishu', { app_id: 'cli_0123456789abcdef' }, /app_secret|app_id/],
    ['a token that is none', 'discord', { bot_token: 'not a token' }, /bot_token/],
    [
      'a field of another platform',
      'dingtalk',
      { client_id: 'ding0123456789', client_secret: SECRET, app_id: 'x' },
      /app_id/,
    ],
    ['a number for a secret', 'dingtalk', { client_id: 'ding0123456789', client_secret: 7 }, /client_secret/],
    ['an empty body', 'weixin', {}, /token/],
  ]
  it.each(cases)('%s: 422 that says so', async (_why, platform, body, sentence) => {
    const answer = await world.ask('POST', `/${platform}`, body)
    expect(answer).toMatchObject({
      status: 422,
      body: { ok: false, code: 'credentials_invalid', error: expect.stringMatching(sentence) },
    })
    expect(JSON.stringify(answer)).not.toContain(SECRET)
  })

  it.each(['feishu', 'wecom', 'weixin', 'discord', 'telegram', 'dingtalk'] as const)(
    '%s: blanks around credentials are left out',
    async (platform) => {
      const { credentials } = await world.control(platform).bot()
      const blank = Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name, ` ${value}\n`]))
      expect(await world.ask('POST', `/${platform}`, blank)).toEqual({ status: 200, body: { ok: true } })
      expect(await world.entry(platform)).toMatchObject({ running: true })
    },
  )
})

describe('sends', () => {
  it('are refused while the channel does not run', async () => {
    await world.ask('DELETE', '/discord')
    const answer = await world.ask('POST', '/discord/send', { message: 'hello' })
    expect(answer).toMatchObject({ status: 400, body: { code: 'not_running' } })
    await world.ask('POST', '/discord', { enabled: true })
  })

  it('are refused while nobody is known', async () => {
    const answer = await world.ask('POST', '/dingtalk/send', { message: 'hello' })
    expect(answer).toMatchObject({ status: 503, body: { code: 'no_known_users' } })
  })

  it('are refused with 429 when Weixin lets no more through, and with 400 after a restart', async () => {
    const chat = await world.converse('weixin', 'hello')
    const people = async (): Promise<readonly { sends_left: number | null }[]> => {
      const { body } = await world.ask('GET', '/weixin/users')
      return (body as { users: { sends_left: number | null }[] }).users // the route's own shape
    }
    let answer = await world.ask('POST', '/weixin/send', { message: 'one', user_id: chat })
    for (let sends = 0; sends < 12 && answer.status === 200; sends += 1) {
      answer = await world.ask('POST', '/weixin/send', { message: `number ${sends}`, user_id: chat })
    }
    expect(answer).toMatchObject({ status: 429, body: { ok: false, code: 'quota_used_up' } })
    expect(await people()).toMatchObject([{ sends_left: 0 }])
    await world.converse('weixin', 'I write again')
    expect((await people())[0]?.sends_left).toBeGreaterThan(5)
    await world.killAndStart()
    await until(async () => (await world.entry('weixin'))['running'] === true)
    expect(await world.ask('POST', '/weixin/send', { message: 'hello', user_id: chat })).toMatchObject({
      status: 400,
      body: { ok: false, code: 'no_context' },
    })
    expect(await world.ask('GET', '/weixin/users')).toMatchObject({
      body: { users: [{ reachable: false, reason: expect.stringMatching(/./) }] },
    })
    await world.converse('weixin', 'and once more')
    expect(await world.ask('POST', '/weixin/send', { message: 'hello', user_id: chat })).toMatchObject({ status: 200 })
  })

  it('ask which person is meant when there are several', async () => {
    await until(async () => (await world.entry('feishu'))['running'] === true)
    await world.converse('feishu', 'hello')
    await world.control('feishu').say({ from: { id: '4712', name: 'Bo' }, text: 'me too' })
    await until(async () => {
      const { body } = await world.ask('GET', '/feishu/users')
      return (body as { users: unknown[] }).users.length === 2 // the route's own shape
    })
    const answer = await world.ask('POST', '/feishu/send', { message: 'hello' })
    expect(answer).toMatchObject({ status: 422, body: { code: 'user_required' } })
    const shown = await world.cli('send', 'feishu', 'hello')
    expect([shown.code, shown.err]).toEqual([2, expect.stringMatching(/Bo|4712|ou_/)])
  })
})

it('says that a bot of WeCom was taken over, and connects it again only when a person asks for it', async () => {
  await until(async () => (await world.entry('wecom'))['running'] === true)
  await world.control('wecom').injectFault({ kind: 'kick' })
  await until(async () => (await world.entry('wecom'))['running'] === false)
  const { body } = await world.ask('GET', '/wecom')
  expect(body).toMatchObject({ running: false, state: 'stopped', reason: 'taken_over' })
  const found = await world.cli('doctor', 'wecom')
  expect([found.code, found.out]).toEqual([1, expect.stringMatching(/npx gatepost enable wecom/)])
  expect((await world.cli('enable', 'wecom')).code).toBe(0)
  await world.converse('wecom', `back again, ${ANN.name}`)
})
