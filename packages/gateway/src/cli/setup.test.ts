import { describe, expect, it } from 'vitest'
import { refusal, startFakeServer, success, telegramDetails } from './testing/fake-server.ts'
import { runCli } from './testing/test-io.ts'
import type { FakeAnswer } from './testing/fake-server.ts'

const BOT_TOKEN = `123456789:AAE${'x'.repeat(28)}wxyz`
const DETAILS = 'GET /api/channels/telegram'
const SAVE = 'POST /api/channels/telegram'
const TEST = 'POST /api/channels/telegram/test'
const tested = success({ ok: true, bot: { id: '123456789', name: 'gatepost_demo_bot' } })
const startsAtThirdLook: FakeAnswer = (asked) =>
  success(asked < 3 ? { ...telegramDetails, running: false, state: 'connecting' } : telegramDetails)

const paste = (answer: string) => ({ question: /Paste the bot token/, answer })

describe('setup telegram', () => {
  it('tests, saves, waits until it runs, and says where to write', async () => {
    await using server = await startFakeServer({ [DETAILS]: startsAtThirdLook, [TEST]: tested, [SAVE]: success() })
    const run = await runCli(['setup', 'telegram'], { url: server.url, typed: [paste(BOT_TOKEN)] })
    expect(run.code).toBe(0)
    const posts = server.seen.filter(({ method }) => method === 'POST')
    expect(posts.map(({ url, body }) => [url, body])).toEqual([
      ['/api/channels/telegram/test', { bot_token: BOT_TOKEN }],
      ['/api/channels/telegram', { bot_token: BOT_TOKEN }],
    ])
    const said = run.said.join('\n')
    expect(said).toContain('https://t.me/BotFather')
    expect(said).toContain('ending in ****wxyz belongs to gatepost_demo_bot')
    expect(said).toContain('Open https://t.me/gatepost_demo_bot')
    expect(said + run.out + run.err).not.toContain(BOT_TOKEN.slice(0, -4))
  })

  it('a token of the wrong shape does not leave the machine', async () => {
    await using server = await startFakeServer({
      [DETAILS]: success(telegramDetails),
      [TEST]: tested,
      [SAVE]: success(),
    })
    const run = await runCli(['setup', 'telegram'], { url: server.url, typed: [paste('12:short'), paste(BOT_TOKEN)] })
    expect(run.code).toBe(0)
    expect(run.said.join('\n')).toContain('A bot token looks like')
    expect(JSON.stringify(server.seen)).not.toContain('12:short')
  })

  it('offers another try when the platform rejects the token', async () => {
    await using server = await startFakeServer({
      [DETAILS]: success(telegramDetails),
      [TEST]: (asked) => (asked === 0 ? refusal(422, 'credentials_rejected', 'Unauthorized') : tested),
      [SAVE]: success(),
    })
    const other = BOT_TOKEN.replace('wxyz', 'good')
    const typed = [paste(BOT_TOKEN), { question: /Try again/, answer: true }, paste(other)]
    const run = await runCli(['setup', 'telegram'], { url: server.url, typed })
    expect(run.code).toBe(0)
    expect(run.said).toContain('The platform does not accept these credentials: Unauthorized.')
    const saved = server.seen.filter(({ method, url }) => method === 'POST' && url === '/api/channels/telegram')
    expect(saved.map(({ body }) => body)).toEqual([{ bot_token: other }])
  })

  it('saves nothing when the person gives up', async () => {
    await using server = await startFakeServer({
      [DETAILS]: success(telegramDetails),
      [TEST]: refusal(422, 'credentials_rejected', 'Unauthorized'),
    })
    const typed = [paste(BOT_TOKEN), { question: /Try again/, answer: false }]
    const run = await runCli(['setup', 'telegram'], { url: server.url, typed })
    expect(run.code).toBe(1)
    expect(server.seen.some(({ method, url }) => method === 'POST' && url === '/api/channels/telegram')).toBe(false)
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

  it('says so for a platform that is not built yet', async () => {
    await using server = await startFakeServer({
      'GET /api/channels/lark': success({ ...telegramDetails, platform: 'feishu' }),
    })
    const run = await runCli(['setup', 'lark'], { url: server.url, typed: [] })
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('feishu cannot be set up')])
  })
})
