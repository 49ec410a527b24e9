import { readFile, stat } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ANN,
  type Asked,
  BO,
  containing,
  type ContractWorld,
  contractWorld,
  LIST,
  refusal,
  SEND,
  TELEGRAM,
  TOKEN,
} from './testing/contract-world.ts'

/**
 * What the channel API promises of Telegram, over HTTP and on the command line, at one real process.
 * The tests are one story: each begins where the one before has left the service. It goes on, with what moves a channel
 * from state to state, in contract-states.process.test.ts.
 */
let world: ContractWorld
beforeAll(async () => {
  world = await contractWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const WRONG = `1:${'x'.repeat(30)}`
const LONG = 20_000

const calls = async (method: string): Promise<number> => (await world.telegram.requests({ method })).length

describe('before anything is configured', () => {
  it('lists six platforms, each with exactly the fields of the contract', async () => {
    const common = { enabled: false, running: false, has_config: false }
    const { status, body } = await world.ask({ path: LIST })
    expect(status).toBe(200)
    expect(body).toEqual({
      channels: [
        { platform: 'feishu', ...common, app_id: '', domain: '', allowed_users: [] },
        { platform: 'wecom', ...common, bot_id: '' },
        { platform: 'weixin', ...common, has_token: false, base_url: expect.any(String), allowed_users: [] },
        { platform: 'discord', ...common, has_token: false, allowed_users: [] },
        {
          platform: 'telegram',
          ...common,
          has_token: false,
          base_url: containing('http://127.0.0.1'),
          parse_mode: expect.any(String),
          allowed_users: [],
        },
        { platform: 'dingtalk', ...common, client_id: '' },
      ],
    })
    expect((await world.cli(['status'])).out).toContain('Nothing is configured.')
  })

  const missing: readonly [what: string, asked: Asked, status: number, code: string, cli: string[], says: RegExp][] = [
    ['enable', { path: TELEGRAM, body: { enabled: true } }, 404, 'no_credentials', ['enable', 'telegram'], /setup/],
    ['disable', { method: 'DELETE', path: TELEGRAM }, 404, 'no_credentials', ['disable', 'telegram'], /setup/],
    ['users', { path: `${TELEGRAM}/users` }, 404, 'no_credentials', ['users', 'telegram'], /setup/],
    [
      'send',
      { path: SEND, body: { message: 'x', user_id: '42' } },
      400,
      'not_running',
      ['send', 'telegram', 'x', '--user', '42'],
      /enable/,
    ],
    ['another platform', { path: '/api/channels/fax/users' }, 404, 'unknown_platform', ['users', 'fax'], /status/],
  ]
  it.each(missing)(
    '%s is refused, and the command line says what to do',
    async (_what, asked, status, code, cli, says) => {
      await world.expectRefused(asked, status, code)
      const run = await world.cli(cli)
      expect([run.code > 0, run.err]).toEqual([true, expect.stringMatching(says)])
      expect((await world.cli([...cli, '--json'])).json()).toEqual(refusal(code))
    },
  )
})

describe('bad input', () => {
  const save = (body: unknown): Asked => ({ path: TELEGRAM, body })
  const plain = { 'content-type': 'text/plain' }
  const refused: readonly [what: string, asked: Asked, status: number, code: string, names?: string][] = [
    ['an unknown platform', { path: '/api/channels/fax', body: { enabled: true } }, 404, 'unknown_platform'],
    ['malformed JSON', save('{"bot_token":'), 400, 'malformed_json'],
    ['a wrong content type', { ...save('{}'), headers: plain }, 415, 'unsupported_media_type'],
    ['a body over 1 MiB', save('x'.repeat(1024 * 1024 + 1)), 413, 'body_too_large'],
    ['an unknown field', save({ bot_token: TOKEN, colour: 'red' }), 422, 'credentials_invalid', 'colour'],
    ['a missing field', save({}), 422, 'credentials_invalid', 'bot_token'],
    ['a field of another type', save({ enabled: 'yes' }), 422, 'credentials_invalid', 'enabled'],
    ['a base_url that is none', save({ bot_token: TOKEN, base_url: 'x' }), 422, 'credentials_invalid', 'base_url'],
    ['an unknown field of a message', { path: SEND, body: { message: 'x', to: '42' } }, 422, 'invalid_body', 'to'],
    ['a missing message', { path: SEND, body: { user_id: '42' } }, 422, 'invalid_body', 'message'],
    ['no bearer', { path: LIST, headers: { authorization: undefined } }, 401, 'unauthorized'],
    ['a wrong bearer', { path: LIST, headers: { authorization: 'Bearer x' } }, 401, 'unauthorized'],
    ['another host', { path: LIST, headers: { host: 'evil.example' } }, 421, 'unknown_host'],
    [
      'another site',
      { ...save({ enabled: true }), headers: { origin: 'https://evil.example' } },
      403,
      'foreign_origin',
    ],
    ['another method', { method: 'PUT', path: TELEGRAM }, 405, 'method_not_allowed'],
    ['another address', { path: '/api/nothing' }, 404, 'not_found'],
  ]
  it.each(refused)('%s is refused without a call to the platform', async (_what, asked, status, code, names = '') => {
    await world.expectRefused(asked, status, code, containing(names))
    expect(await world.telegram.requests()).toEqual([])
  })

  it('a token of the wrong shape is refused without a call to hasAccounts', async () => {
    const body = { bot_token: `1:${'x'.repeat(29)}`, base_url: world.elsewhere.url }
    await world.expectRefused({ path: TELEGRAM, body }, 422, 'credentials_invalid', containing('bot_token'))
    expect(world.elsewhere.asked).toEqual([])
  })
})

describe('credentials', () => {
  it('that Telegram rejects are not stored', async () => {
    await world.expectRefused(
      { path: TELEGRAM, body: { bot_token: WRONG } },
      422,
      'credentials_rejected',
      'Unauthorized',
    )
    await expect(stat(world.channelFile)).rejects.toThrow('ENOENT')
    const run = await world.cli(['setup', 'telegram', '--token-stdin'], { input: WRONG })
    expect([run.code, run.err]).toEqual([1, containing('The platform rejected the credentials: Unauthorized.')])
  })

  it('are checked at base_url when it is given', async () => {
    const base_url = world.elsewhere.url
    await world.expectRefused(
      { path: TELEGRAM, body: { bot_token: TOKEN, base_url } },
      422,
      'credentials_rejected',
      'Not here',
    )
    expect(world.elsewhere.asked).toEqual([`/bot${TOKEN}/getMe`])
    expect(await world.telegram.requests()).toEqual([])
    expect(await world.entry()).toMatchObject({ has_config: false })
  })

  it('are stored once Telegram has accepted them, and the adapter polls', async () => {
    const answer = await world.ask({ path: TELEGRAM, body: { bot_token: TOKEN } })
    expect([answer.status, answer.body]).toEqual([200, { ok: true }])
    expect(await world.entry()).toEqual({
      platform: 'telegram',
      enabled: true,
      running: true,
      has_config: true,
      has_token: true,
      base_url: containing('http://127.0.0.1'),
      parse_mode: expect.any(String),
      allowed_users: [],
    })
    expect((await stat(world.channelFile)).mode & 0o777).toBe(0o600)
    expect(await calls('getUpdates')).toBeGreaterThan(0)
    expect((await world.cli(['status'])).out).toMatch(/telegram +running +@gatepost_bot +everyone +token set/)
  })

  it.each(['telegram', 'platform_e', 'Telegram'])('are never told, by the name %s', async (name) => {
    for (const path of ['', `/${name}`, `/${name}/users`, `/${name}/deliveries`, `/${name}/doctor`]) {
      const answer = await world.ask({ path: LIST + path })
      expect([path, answer.status]).toEqual([path, 200])
      expect(JSON.stringify(answer)).not.toContain(TOKEN.split(':')[1])
    }
    expect((await world.cli(['status', name, '--json'])).json()).toMatchObject({ platform: 'telegram', running: true })
  })

  it('stay as they are when a candidate fails', async () => {
    const before = await readFile(world.channelFile, 'utf8')
    expect((await world.ask({ path: TELEGRAM, body: { bot_token: WRONG } })).status).toBe(422)
    expect(await readFile(world.channelFile, 'utf8')).toBe(before)
    expect(await world.entry()).toMatchObject({ running: true })
  })
})

describe('sending', () => {
  it('says 503 while nobody is known', async () => {
    expect((await world.ask({ path: `${TELEGRAM}/users` })).body).toEqual({ users: [] })
    await world.expectRefused(
      { path: SEND, body: { message: 'x' } },
      503,
      'no_known_users',
      containing('message the bot first'),
    )
    const run = await world.cli(['send', 'telegram', 'x'])
    expect([run.code, run.err]).toEqual([1, containing('must message the bot first')])
  })

  it('goes to the only person by itself', async () => {
    await world.telegram.say({ from: ANN, text: 'hello' })
    expect(await world.telegram.waitForSent({ count: 1 })).toMatchObject([{ chatId: 42, text: containing('hello') }])
    const answer = await world.ask({ path: SEND, body: { message: '**Done**' } })
    expect([answer.status, answer.body]).toEqual([200, { ok: true }])
    expect(await world.cli(['send', 'telegram', 'Also done'])).toMatchObject({ code: 0, out: 'Sent to Ann.\n' })
    expect((await world.shown(42)).slice(-2)).toEqual(['Done', 'Also done'])
  })

  it('asks which one when there are several', async () => {
    await world.telegram.say({ from: BO, text: 'hello' })
    await expect.poll(() => world.shown(43)).toHaveLength(1)
    await world.expectRefused({ path: SEND, body: { message: 'x' } }, 422, 'user_required', containing('user_id'))
    expect(await world.cli(['send', 'telegram', 'x'])).toMatchObject({ code: 2, err: containing('Bo') })
    const typed = [{ question: /Who should receive it/, answer: '43' }]
    expect(await world.cli(['send', 'telegram', 'To Bo'], { typed })).toMatchObject({ code: 0 })
    expect((await world.shown(43)).at(-1)).toBe('To Bo')
    const { out } = await world.cli(['users', 'telegram'])
    expect(out).toMatch(/^42 +Ann/m)
    expect(out).toMatch(/^43 +Bo/m)
  })

  it('shows a long message whole, in parts', async () => {
    const before = (await world.shown(42)).length
    const message = Array.from({ length: LONG / 10 }, (_, index) => `word${String(index).padStart(5, '0')}`).join(' ')
    expect((await world.ask({ path: SEND, body: { message, user_id: '42' } })).status).toBe(200)
    const parts = (await world.shown(42)).slice(before)
    expect(parts.every((part) => part.length <= 4096)).toBe(true)
    expect(parts.join(' ')).toBe(message)
  })

  it('passes on why the platform refuses', async () => {
    await world.expectRefused(
      { path: SEND, body: { message: 'x', user_id: '7' } },
      502,
      'delivery_refused',
      containing('chat not found'),
    )
    const run = await world.cli(['send', 'telegram', 'x', '--user', '7'])
    expect([run.code, run.err]).toEqual([1, containing('The platform refused the message: ')])
  })
})
