import { describe, expect, it } from 'vitest'
import {
  refusal,
  startFakeServer,
  success,
  telegramDetails,
  ACCEPTED,
  ASKING,
  fakeSetup,
  type FakeAnswer,
} from '../testing/fake-server.ts'
import { runCli } from '../testing/test-io.ts'

const BOT_TOKEN = `123456789:AAE${'x'.repeat(28)}wxyz`
const DETAILS = 'GET /api/channels/telegram'
const SAVE = 'POST /api/channels/telegram'
const startsAtThirdLook: FakeAnswer = (asked) =>
  success(asked < 3 ? { ...telegramDetails, running: false, state: 'connecting' } : telegramDetails)

const paste = (answer: string) => ({ question: /The bot token \(hidden\)/, answer })

describe('setup without a platform', () => {
  it('asks which one, and names those that are set up', async () => {
    const channels = [{ platform: 'feishu', enabled: false, running: false, has_config: false }, telegramDetails]
    await using server = await startFakeServer({
      'GET /api/channels': success({ channels }),
      [DETAILS]: startsAtThirdLook,
      ...fakeSetup([ACCEPTED]),
    })
    const typed = [{ question: /^Which platform\?$/, answer: 'telegram' }, paste(BOT_TOKEN)]
    const run = await runCli(['setup'], { url: server.url, typed })
    expect([run.code, run.said]).toEqual([0, expect.arrayContaining(['Connect telegram'])])
  })

  it.each([
    ['there is no terminal', [], undefined],
    ['a secret is read', ['--token-stdin'], []],
    ['JSON is wanted', ['--json'], []],
  ])('lists them where %s', async (_why, more, typed) => {
    await using server = await startFakeServer()
    const run = await runCli(['setup', ...more], { url: server.url, ...(typed && { typed }) })
    const text = run.out + run.err
    expect([run.code, text]).toEqual([2, expect.stringContaining('Platform missing. Use: setup <platform>.')])
    if (more[0] !== '--json') expect(text).toContain('feishu, wecom, weixin, discord, telegram, dingtalk')
    expect(server.seen).toEqual([])
  })

  it('takes it from an option for programs', async () => {
    await using server = await startFakeServer({
      'POST /api/channels/weixin/setup': success({ ...ASKING, id: 'w1', platform: 'weixin', url: 'https://wx.test/q' }),
    })
    const run = await runCli(['setup', '--fetch-qr'], { url: server.url })
    expect([run.code, run.json()]).toEqual([0, { qrcode_url: 'https://wx.test/q', qrcode_id: 'w1' }])
  })
})

describe('setup telegram', () => {
  it('asks, gives the answer to the service, waits until it runs, and says where to write', async () => {
    await using server = await startFakeServer({ [DETAILS]: startsAtThirdLook, ...fakeSetup([ACCEPTED]) })
    const run = await runCli(['setup', 'telegram'], { url: server.url, typed: [paste(BOT_TOKEN)] })
    expect(run.code).toBe(0)
    const posts = server.seen.filter(({ method }) => method === 'POST')
    expect(posts.map(({ url, body }) => [url, body])).toEqual([
      ['/api/channels/telegram/setup', { kind: 'paste' }],
      ['/api/channels/telegram/setup/s1', { values: { bot_token: BOT_TOKEN } }],
    ])
    const said = run.said.join('\n')
    expect(said).toContain('https://t.me/BotFather')
    expect(said).toContain('Open https://t.me/gatepost_demo_bot')
    expect(said + run.out + run.err).not.toContain(BOT_TOKEN.slice(0, -4))
  })

  it("asks again with the platform's words until it is accepted", async () => {
    const again = { message: 'Unauthorized' }
    await using server = await startFakeServer({ [DETAILS]: startsAtThirdLook, ...fakeSetup([again, ACCEPTED]) })
    const typed = [paste(BOT_TOKEN), paste(BOT_TOKEN.replace('wxyz', 'good'))]
    const run = await runCli(['setup', 'telegram'], { url: server.url, typed })
    expect([run.code, run.said]).toEqual([0, expect.arrayContaining(['Unauthorized'])])
  })

  it('tells why it ended, and offers another code where that may help', async () => {
    const expired = { state: 'failed', error: 'expired', message: 'The code has expired.', fields: [] } as const
    await using server = await startFakeServer({ [DETAILS]: startsAtThirdLook, ...fakeSetup([expired, ACCEPTED]) })
    const typed = [paste(BOT_TOKEN), { question: /Start again/, answer: true }, paste(BOT_TOKEN)]
    expect(await runCli(['setup', 'telegram'], { url: server.url, typed })).toMatchObject({ code: 0 })
    const failed = { state: 'failed', error: 'internal', message: 'It failed.', fields: [] } as const
    await using broken = await startFakeServer({ [DETAILS]: startsAtThirdLook, ...fakeSetup([failed]) })
    const run = await runCli(['setup', 'telegram'], { url: broken.url, typed: [paste(BOT_TOKEN)] })
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('It failed.')])
  })

  it('refuses a way that the platform does not have', async () => {
    await using server = await startFakeServer({ [DETAILS]: startsAtThirdLook, ...fakeSetup([ACCEPTED]) })
    const run = await runCli(['setup', 'telegram', '--kind', 'qr'], { url: server.url, typed: [] })
    expect([run.code, run.err]).toEqual([2, expect.stringContaining('one of: paste')])
  })

  it('cancels the set-up for whoever leaves at a question', async () => {
    await using server = await startFakeServer({
      [DETAILS]: startsAtThirdLook,
      ...fakeSetup([ACCEPTED]),
      'DELETE /api/channels/telegram/setup/s1': success(),
    })
    const run = await runCli(['setup', 'telegram'], { url: server.url, typed: [{ ...paste(''), answer: null }] })
    expect([run.code, server.seen.at(-1)?.method]).toEqual([130, 'DELETE'])
  })

  it('cancels the set-up for whoever leaves while it waits', async () => {
    const aborter = new AbortController()
    const waiting = { ...ASKING, state: 'waiting', fields: [], version: 1 } as const
    await using server = await startFakeServer({
      [DETAILS]: startsAtThirdLook,
      ...fakeSetup([ACCEPTED]),
      'POST /api/channels/telegram/setup': success(waiting),
      'GET /api/channels/telegram/setup/s1?wait=20&version=1': () => {
        aborter.abort()
        return success(waiting)
      },
      'DELETE /api/channels/telegram/setup/s1': success(),
    })
    const run = await runCli(['setup', 'telegram'], { url: server.url, typed: [], signal: aborter.signal })
    expect([run.code, server.seen.at(-1)?.method]).toEqual([130, 'DELETE'])
  })

  const answered: readonly [who: string, allowed: readonly string[], note: string | undefined][] = [
    ['alone', ['ann'], 'The bot replies only to Ann, who confirmed the setup.'],
    [
      'who is not among those who stood there',
      ['bo', 'cy'],
      "doesn't include Ann. To add them: npx gatepost reconfigure telegram",
    ],
    ['who stood there among others', ['ann', 'bo'], undefined],
    ['where everybody is answered', [], undefined],
  ]
  it.each(answered)('says whom the bot answers: the one who confirmed, %s', async (_who, allowed, note) => {
    const done = { ...ACCEPTED, first_user: { id: 'ann', name: 'Ann' } }
    await using server = await startFakeServer({
      [DETAILS]: success({ ...telegramDetails, allowed_users: allowed }),
      ...fakeSetup([done]),
    })
    const { said } = await runCli(['setup', 'telegram'], { url: server.url, typed: [paste(BOT_TOKEN)] })
    const told = said.includes('Allowed users') ? said[said.indexOf('Allowed users') + 1] : undefined
    expect(told).toEqual(note && (expect.stringContaining(note) as unknown))
  })

  const modes: readonly [why: string, line: readonly string[]][] = [
    ['a mode of another platform', ['setup', 'telegram', '--fetch-qr']],
    ['two modes', ['setup', 'weixin', '--fetch-qr', '--print-qr']],
    ['an application id that is none', ['setup', 'discord', '--invite-url', 'x&scope=admin']],
  ]
  it('ends a wait for a Weixin log-in before its 60 seconds are over', async () => {
    const waiting = { ...ASKING, platform: 'weixin', kind: 'qr', state: 'waiting', fields: [], version: 1 } as const
    const look = (wait: number, version: number): string =>
      `GET /api/channels/weixin/setup/s1?wait=${wait}&version=${version}`
    await using server = await startFakeServer({
      [look(0, 0)]: success(waiting),
      [look(15, 1)]: success(waiting),
      [look(6, 1)]: success(waiting),
    })
    const run = await runCli(['setup', 'wechat', '--qrcode-id', 's1'], { url: server.url, callMs: 13_000 })
    expect([run.code, run.out, server.seen.length]).toEqual([1, 'timed out\n', 5])
  })

  const polls: readonly [why: string, code: string, server: 'none' | 'refuses'][] = [
    ['a code that is none', 'a b', 'none'],
    ['no server', 'x', 'none'],
    ['a token that is not accepted', 'x', 'refuses'],
  ]
  it.each(polls)('never says that a DingTalk code is not scanned yet for %s', async (_why, code, server) => {
    await using refusing = await startFakeServer({
      'GET /api/channels/dingtalk/setup/x?wait=0&version=0': refusal(401, 'unauthorized', 'No.'),
    })
    const url = server === 'none' ? 'http://127.0.0.1:1' : refusing.url
    expect(await runCli(['setup', 'dingtalk', '--poll', code], { url })).toMatchObject({ code: 1, out: '' })
  })

  it.each(modes)('refuses %s, without asking hasAccounts', async (_why, line) => {
    expect(await runCli(line)).toMatchObject({ code: 2 })
  })

  it.each([
    ['a file', ['--token-file', '/token'], { files: { '/token': `${BOT_TOKEN}\n` } }],
    ['standard input', ['--token-stdin'], { input: `${BOT_TOKEN}\n` }],
  ])('takes the token from %s without asking', async (_why, args, options) => {
    await using server = await startFakeServer({ [DETAILS]: startsAtThirdLook, [SAVE]: success() })
    const line = ['setup', 'telegram', ...args, '--base-url', 'http://127.0.0.1:8081']
    const run = await runCli(line, { url: server.url, ...options })
    expect([run.code, run.out]).toEqual([0, 'telegram is running as gatepost_demo_bot\n'])
    const saved = server.seen.find(({ method }) => method === 'POST')
    expect(saved?.body).toEqual({ bot_token: BOT_TOKEN, base_url: 'http://127.0.0.1:8081' })
  })

  it('fails when the channel does not come up', async () => {
    const details = { ...telegramDetails, running: false, state: 'rejected', message: 'The token was revoked.' }
    await using server = await startFakeServer({ [DETAILS]: success(details), [SAVE]: success() })
    const run = await runCli(['setup', 'telegram', '--token-stdin'], { url: server.url, input: BOT_TOKEN })
    expect(run.code).toBe(1)
    expect(run.out).toContain('The token was revoked.')
  })

  it('gives up waiting after twenty seconds', async () => {
    const details = { ...telegramDetails, running: false, state: 'connecting' }
    await using server = await startFakeServer({ [DETAILS]: success(details), [SAVE]: success() })
    const run = await runCli(['setup', 'telegram', '--token-stdin'], { url: server.url, input: BOT_TOKEN })
    expect(run.code).toBe(1)
    expect(run.out).toContain('connecting')
  })

  it.each([
    ['nobody can be asked', ['setup', 'telegram'], 2],
    ['both sources are named', ['setup', 'telegram', '--token-stdin', '--token-file', 'x'], 2],
    ['the token is an argument', ['setup', 'telegram', BOT_TOKEN], 2],
    ['the token is an option', ['setup', 'telegram', `--bot-token=${BOT_TOKEN}`], 2],
    ['the file is not there', ['setup', 'telegram', '--token-file', '/nowhere'], 2],
    ['standard input holds no token', ['setup', 'telegram', '--token-stdin'], 2],
  ])('saves nothing when %s', async (_why, line, code) => {
    await using server = await startFakeServer({ [DETAILS]: success(telegramDetails) })
    const run = await runCli(line, { url: server.url, input: 'none' })
    expect(run.code).toBe(code)
    expect(run.err).not.toContain(BOT_TOKEN)
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true)
  })
})
