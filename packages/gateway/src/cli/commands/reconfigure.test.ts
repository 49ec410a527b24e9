import { describe, expect, it } from 'vitest'
import {
  refusal,
  startFakeServer,
  success,
  telegramDetails,
  telegramEntry,
  unconfigured,
  ACCEPTED,
  fakeSetup,
} from '../testing/fake-server.ts'
import { runCli } from '../testing/test-io.ts'

const SAVE = 'POST /api/channels/telegram'
const DETAILS = 'GET /api/channels/telegram'

describe('enable', () => {
  it('asks for it, waits, and says how it is', async () => {
    await using server = await startFakeServer({ [SAVE]: success(), [DETAILS]: success(telegramDetails) })
    const run = await runCli(['enable', 'telegram'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, 'telegram is running as gatepost_demo_bot\n'])
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/api/channels/telegram', body: { enabled: true } })
  })

  const missing = refusal(404, 'no_credentials', 'This platform has no credentials.')

  it('without credentials leads to the set-up', async () => {
    await using server = await startFakeServer({ [SAVE]: missing })
    const run = await runCli(['enable', 'telegram'], { url: server.url })
    expect(run.code).toBe(1)
    expect(run.err).toContain('npx gatepost setup telegram')
  })

  it('without credentials offers the set-up to a person', async () => {
    await using server = await startFakeServer({ [SAVE]: missing, [DETAILS]: success(telegramDetails) })
    const typed = [
      { question: /Set it up now/, answer: true },
      { question: /The bot token/, answer: `1:${'x'.repeat(30)}` },
    ]
    for (const [call, answer] of Object.entries(fakeSetup([ACCEPTED]))) server.answer(call, answer)
    const run = await runCli(['enable', 'telegram'], { url: server.url, typed })
    expect(run.said).toContain('Connect telegram')
    expect(run.code).toBe(0)
  })
})

describe('disable', () => {
  it('deletes, and says how to go back', async () => {
    await using server = await startFakeServer({ 'DELETE /api/channels/telegram': success() })
    const run = await runCli(['disable', 'telegram'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, 'telegram is disabled.\nEnable it again: npx gatepost enable telegram\n'])
    expect(server.seen[0]).toMatchObject({ method: 'DELETE', body: undefined })
  })
})

describe('reconfigure', () => {
  it.each([
    ['42, 77', ['42', '77'], 'The bot replies only to 42, 77.\n'],
    ['', [], 'The bot replies to everyone.\n'],
  ])('--allowed-users %j', async (list, allowed_users, text) => {
    await using server = await startFakeServer({ [SAVE]: success() })
    const run = await runCli(['reconfigure', 'telegram', '--allowed-users', list], { url: server.url })
    expect([run.code, run.out]).toEqual([0, text])
    expect(server.seen.map(({ body }) => body)).toEqual([{ allowed_users }])
  })

  const configured = {
    'GET /api/channels': success({ channels: [...unconfigured, telegramEntry] }),
    [DETAILS]: success(telegramDetails),
    [SAVE]: success(),
    'DELETE /api/channels/telegram': success(),
  }

  it('shows what is configured and changes who is answered', async () => {
    await using server = await startFakeServer(configured)
    const typed = [
      { question: /What would you like to change/, answer: 'allowed' },
      { question: /User ids to reply to/, answer: '42' },
    ]
    const run = await runCli(['reconfigure'], { url: server.url, typed })
    expect(run.code).toBe(0)
    expect(run.said.join('\n')).toMatch(/Bot token +\*{4}wxyz/)
    expect(server.seen.at(-1)?.body).toEqual({ allowed_users: ['42'] })
  })

  it('disables', async () => {
    await using server = await startFakeServer(configured)
    const typed = [{ question: /What would you like to change/, answer: 'disable' }]
    const run = await runCli(['reconfigure', 'telegram'], { url: server.url, typed })
    expect([run.code, server.seen.at(-1)?.method]).toEqual([0, 'DELETE'])
  })

  it.each([['an update of the credentials', [{ question: /change/, answer: 'credentials' }]]])(
    '%s runs the set-up again',
    async (_why, typed) => {
      await using server = await startFakeServer({
        ...configured,
        ...fakeSetup([ACCEPTED]),
      })
      const paste = { question: /The bot token/, answer: `1:${'x'.repeat(30)}` }
      const run = await runCli(['reconfigure', 'telegram'], { url: server.url, typed: [...typed, paste] })
      expect(run.code).toBe(0)
      expect(run.said.at(-1)).toContain('send a message')
    },
  )

  it('asks whether new credentials are still for an own server', async () => {
    const base_url = 'http://127.0.0.1:8081'
    await using server = await startFakeServer({
      ...configured,
      [DETAILS]: success({ ...telegramDetails, base_url }),
      ...fakeSetup([ACCEPTED]),
    })
    const bot_token = `1:${'x'.repeat(30)}`
    const typed = [
      { question: /change/, answer: 'credentials' },
      { question: /Server address/, answer: base_url },
      { question: /The bot token/, answer: bot_token },
    ]
    expect(await runCli(['reconfigure', 'telegram'], { url: server.url, typed })).toMatchObject({ code: 0 })
    const begun = server.seen.filter(({ method, url }) => method === 'POST' && url.endsWith('/setup'))
    expect(begun.map(({ body }) => body)).toEqual([{ kind: 'paste', fields: { base_url } }])
  })

  it('adds a platform', async () => {
    await using server = await startFakeServer({
      ...configured,
      'GET /api/channels/discord': success({ ...telegramDetails, platform: 'discord' }),
      'GET /api/channels/discord/setup': success({ ways: [] }),
    })
    const typed = [
      { question: /change/, answer: 'add' },
      { question: /Which platform/, answer: 'discord' },
    ]
    const run = await runCli(['reconfigure', 'telegram'], { url: server.url, typed })
    expect(run.err).toContain("This version can't set up discord.")
  })

  const feishu = {
    ...telegramDetails,
    platform: 'feishu',
    enabled: false,
    running: false,
    state: 'stopped',
    app_id: 'cli_a1b2c3d4e5f6g7h8',
    secrets: { app_secret: '****stuv' },
    bot: { id: 'cli_a1b2c3d4e5f6g7h8', name: null },
  }
  const both = {
    ...configured,
    'GET /api/channels': success({ channels: [...unconfigured.slice(1), feishu, telegramEntry] }),
    'GET /api/channels/feishu': success(feishu),
  }

  it('shows the configuration of all channels, masked, before it asks for one', async () => {
    await using server = await startFakeServer(both)
    const typed = [
      { question: /Which channel/, answer: 'feishu' },
      { question: /What would you like to change/, answer: 'enable' },
    ]
    server.answer('POST /api/channels/feishu', success())
    const run = await runCli(['reconfigure'], { url: server.url, typed })
    const asked = run.said.indexOf('Which channel?')
    const shown = run.said.slice(0, asked).join('\n')
    expect(shown).toMatch(/App secret +\*{4}stuv[^]*Bot token +\*{4}wxyz/)
    expect(shown).not.toContain('cli_a1b2c3d4e')
  })

  it('shows it without a terminal too, and names what changes it', async () => {
    await using server = await startFakeServer(both)
    const run = await runCli(['reconfigure'], { url: server.url })
    expect(run.code).toBe(0)
    expect(run.out).toMatch(/Platform +feishu[^]*App secret +\*{4}stuv[^]*Platform +telegram[^]*Bot token +\*{4}wxyz/)
    expect(run.out).toContain('npx gatepost reconfigure <platform> --allowed-users <ids>')
    const one = await runCli(['reconfigure', 'telegram'], { url: server.url })
    expect([one.code, one.out.includes('feishu')]).toEqual([0, false])
    const json = await runCli(['reconfigure', '--json'], { url: server.url, typed: [] })
    expect(json.json()).toEqual({ channels: [feishu, telegramDetails] })
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true)
  })

  it('without channels leads to the setup', async () => {
    await using server = await startFakeServer({ 'GET /api/channels': success({ channels: unconfigured }) })
    const run = await runCli(['reconfigure'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, expect.stringContaining('npx gatepost setup <platform>')])
  })
})
