import { describe, expect, it } from 'vitest'
import {
  NOW,
  refusal,
  startFakeServer,
  success,
  telegramDetails,
  telegramEntry,
  unconfigured,
} from '../testing/fake-server.ts'
import { runCli, TOKEN } from '../testing/test-io.ts'

const list = success({ channels: [...unconfigured, telegramEntry] })

describe('status', () => {
  it('shows every platform, and of a configured one how it is', async () => {
    await using server = await startFakeServer({
      'GET /api/channels': list,
      'GET /api/channels/telegram': success(telegramDetails),
    })
    const run = await runCli(['status'], { url: server.url })
    expect(run.code).toBe(0)
    expect(run.out.split('\n').map((line) => line.trimEnd())).toEqual([
      'Platform   State        Bot                 Replies to   Last message   Details',
      'feishu     not set up',
      'wecom      not set up',
      'weixin     not set up',
      'discord    not set up',
      'dingtalk   not set up',
      'telegram   running      gatepost_demo_bot   everyone     2 min ago      token set',
      '',
    ])
    expect(server.seen[0]).toEqual({
      method: 'GET',
      url: '/api/channels',
      authorization: `Bearer ${TOKEN}`,
      contentType: undefined,
      body: undefined,
    })
  })

  it('says why a channel is not running and when it tries again', async () => {
    const details = {
      ...telegramDetails,
      running: false,
      state: 'backing_off',
      message: 'The network is down.',
      retry_at: NOW + 8000,
    }
    await using server = await startFakeServer({
      'GET /api/channels': success({ channels: [{ ...telegramEntry, running: false }] }),
      'GET /api/channels/telegram': success(details),
    })
    const run = await runCli(['status'], { url: server.url })
    expect(run.out).toMatch(/telegram +retrying .* token set; The network is down\.; next attempt in 8 s/)
  })

  it.each([
    ['feishu', 'app_id', 'cli_a1b2c3d4e5f6g7h8', 'app id cli_a1b2c3d4…'],
    ['dingtalk', 'client_id', 'dingabcdefghijklmnop', 'client id dingabcdefgh…'],
  ])(
    'cuts the id of %s to twelve characters in every column, and shows it with the reason',
    async (platform, field, id, shown) => {
      const entry = { platform, enabled: true, running: false, has_config: true, [field]: id }
      const { has_token: _token, base_url: _url, parse_mode: _mode, ...others } = telegramDetails
      const details = {
        ...others,
        ...entry,
        state: 'rejected',
        message: 'The secret is wrong.',
        bot: { id, name: null },
      }
      await using server = await startFakeServer({
        'GET /api/channels': success({ channels: [entry] }),
        [`GET /api/channels/${platform}`]: success(details),
      })
      const overview = await runCli(['status'], { url: server.url })
      expect(overview.out).toContain(`${shown}; The secret is wrong.`)
      const one = await runCli(['status', platform], { url: server.url })
      for (const { out } of [overview, one]) expect(out).not.toContain(id.slice(0, 13))
    },
  )

  it("prints the API's own JSON and asks nothing more", async () => {
    await using server = await startFakeServer({ 'GET /api/channels': list })
    const run = await runCli(['status', '--json'], { url: server.url })
    expect(run.json()).toEqual(list.body)
    expect(server.seen).toHaveLength(1)
  })

  it.each([
    ['an empty list', []],
    ['no credentials anywhere', unconfigured],
  ])('%s means that nothing is configured', async (_why, channels) => {
    await using server = await startFakeServer({ 'GET /api/channels': success({ channels }) })
    const run = await runCli(['status'], { url: server.url })
    expect(run.code).toBe(0)
    expect(run.out).toContain('Nothing is configured.')
    expect(run.out).toContain('npx gatepost setup ')
  })

  it('an unreachable server means that nothing is configured, and exits with 3', async () => {
    const server = await startFakeServer()
    await server[Symbol.asyncDispose]()
    const run = await runCli(['status'], { url: server.url })
    expect(run.code).toBe(3)
    expect(run.err).toContain(`Nothing is configured: no Gatepost server is running at ${server.url}.`)
    expect(run.err).toContain('npm start')
    const json = await runCli(['status', '--json'], { url: server.url })
    expect(json.code).toBe(3)
    expect(json.json()).toEqual({
      ok: false,
      code: 'unreachable',
      error: `Nothing is configured: no Gatepost server is running at ${server.url}.`,
    })
    expect(json.err).toBe('')
  })

  it('shows everything about one, also by its alias', async () => {
    await using server = await startFakeServer({
      'GET /api/channels/platform_e': success({ ...telegramDetails, dead: 2, allowed_users: ['42'] }),
    })
    const run = await runCli(['status', 'platform_e'], { url: server.url })
    expect(run.code).toBe(0)
    for (const line of [
      /^Platform +telegram$/m,
      /^State +running$/m,
      /^Bot token +\*{4}wxyz$/m,
      /^Replies to +only 42$/m,
      /^Last message +2 min ago$/m,
    ])
      expect(run.out).toMatch(line)
    expect(run.out).toContain('npx gatepost deliveries telegram --dead')
  })

  it('cuts ids to twelve characters', async () => {
    const entry = { platform: 'feishu', enabled: true, running: true, has_config: true, app_id: 'cli_a1b2c3d4e5f6g7h8' }
    await using server = await startFakeServer({
      'GET /api/channels/feishu': success({ ...telegramDetails, ...entry }),
    })
    const run = await runCli(['status', 'feishu'], { url: server.url })
    expect(run.out).toMatch(/^App id +cli_a1b2c3d4…$/m)
    expect(run.out).not.toContain('cli_a1b2c3d4e')
  })

  it('a bot name cannot act on the terminal', async () => {
    const bot = { id: '1', name: 'evil\u001b[2J\u001b]0;x\u0007bot' }
    await using server = await startFakeServer({ 'GET /api/channels/telegram': success({ ...telegramDetails, bot }) })
    const run = await runCli(['status', 'telegram'], { url: server.url })
    expect(run.out).not.toContain('\u001b')
    expect(run.out).toMatch(/^Bot +evilbot$/m)
  })

  it.each([
    ['the token is wrong', 401, {}, 'The token is not valid.'],
    ['the token may not do this', 403, {}, 'The token is not valid.'],
    [
      'there is no token',
      401,
      { GATEPOST_TOKEN: '', GATEPOST_DATA_DIR: '/nowhere' },
      "Couldn't read /nowhere/api-token",
    ],
    ['the token is none', 401, { GATEPOST_TOKEN: 'two words' }, "GATEPOST_TOKEN doesn't contain a valid token."],
  ])('exits with 4 when %s', async (_why, status, env, sentence) => {
    await using server = await startFakeServer({
      'GET /api/channels': refusal(status, 'unauthorized', 'The token is not valid.'),
    })
    const run = await runCli(['status'], { url: server.url, env })
    expect(run.code).toBe(4)
    expect(run.err).toContain(sentence)
    expect(run.err).not.toContain(TOKEN)
    if ('GATEPOST_TOKEN' in env) expect(server.seen[0]?.authorization).toBeUndefined()
  })

  it.each([
    ['a page', { status: 200, body: '<html>hello</html>' }],
    ['another kind of JSON', success([1, 2])],
    ["a proxy's error", { status: 502, body: '<html>bad gateway</html>' }],
    ['a redirect', { status: 302, body: '' }],
  ])('%s is not Gatepost', async (_why, answer) => {
    await using server = await startFakeServer({ 'GET /api/channels': answer })
    const run = await runCli(['status'], { url: server.url })
    expect(run.code).toBe(3)
    expect(run.err).toContain("isn't Gatepost")
  })

  it('a name cannot lead to another path', async () => {
    await using server = await startFakeServer()
    for (const name of ['..', '../users', 'a/b', 'tele gram', '%2e%2e']) {
      const run = await runCli(['status', name], { url: server.url })
      expect(run.code).toBe(2)
    }
    expect(server.seen).toEqual([])
  })
})
