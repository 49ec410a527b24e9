import { describe, expect, it } from 'vitest'
import { ann, refusal, startFakeServer, success, telegramDetails, wang } from '../testing/fake-server.ts'
import { runCli } from '../testing/test-io.ts'
import type { KnownUser } from '@gatepost/channels'

const SEND = 'POST /api/channels/telegram/send'
const withUsers = (users: readonly KnownUser[]) =>
  startFakeServer({
    'GET /api/channels/telegram': success(telegramDetails),
    'GET /api/channels/telegram/users': success({ users }),
    [SEND]: success(),
  })

describe('send', () => {
  it('goes to the one named, without asking who is known', async () => {
    await using server = await withUsers([])
    const run = await runCli(['send', 'telegram', '**Hello** there', '--user', '42'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, 'Sent to 42.\n'])
    expect(server.seen).toHaveLength(1)
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      url: '/api/channels/telegram/send',
      contentType: 'application/json',
      body: { message: '**Hello** there', user_id: '42' },
    })
  })

  it('goes to the only person known', async () => {
    await using server = await withUsers([ann])
    const run = await runCli(['send', 'telegram', 'Hello'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, 'Sent to Ann @ann.\n'])
    expect(server.seen.at(-1)?.body).toEqual({ message: 'Hello', user_id: '42' })
  })

  it('is refused when nobody is known', async () => {
    await using server = await withUsers([])
    const run = await runCli(['send', 'telegram', 'Hello'], { url: server.url })
    expect(run.code).toBe(1)
    expect(run.err).toContain('The person must message the bot first.')
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'GET'])
  })

  it('asks which one when several are known', async () => {
    await using server = await withUsers([ann, wang])
    const typed = [{ question: /Who should receive it/, answer: '77' }]
    const run = await runCli(['send', 'telegram', 'Hello'], { url: server.url, typed })
    expect([run.code, run.out]).toEqual([0, 'Sent to 王小明.\n'])
    expect(server.seen.at(-1)?.body).toEqual({ message: 'Hello', user_id: '77' })
  })

  it('lists them and exits with 2 when nobody can be asked', async () => {
    await using server = await withUsers([ann, wang])
    const run = await runCli(['send', 'telegram', 'Hello'], { url: server.url })
    expect(run.code).toBe(2)
    expect(run.err).toContain('--user')
    expect(run.err).toMatch(/^42 +Ann @ann +2 min ago +yes +yes$/m)
    expect(run.err).toMatch(/^77 +王小明 +1 day ago +no +no: the person has blocked the bot$/m)
    expect(run.out).toBe('')
    const json = await runCli(['send', 'telegram', 'Hello', '--json'], { url: server.url })
    expect(json.code).toBe(2)
    expect(json.json()).toMatchObject({ ok: false, code: 'user_required', users: [ann, wang] })
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true)
  })

  it.each([
    ['disabled', { enabled: false, running: false, state: 'stopped' }, "The channel isn't running."],
    [
      'rejected',
      { running: false, state: 'rejected', message: 'The token is not valid.' },
      "The channel isn't running: The token is not valid.",
    ],
  ] as const)('to a channel that is %s says how to enable it before it asks for a person', async (_why, of, text) => {
    await using server = await withUsers([ann, wang])
    server.answer('GET /api/channels/telegram', success({ ...telegramDetails, ...of }))
    const run = await runCli(['send', 'telegram', 'Hello'], { url: server.url, typed: [] })
    expect([run.code, run.said]).toEqual([1, []])
    expect(run.err).toContain(text)
    expect(run.err).toContain('Run: npx gatepost enable telegram')
    expect(server.seen).toHaveLength(1)
    const json = await runCli(['send', 'telegram', 'Hello', '--json'], { url: server.url })
    expect(json.json()).toEqual({ ok: false, error: text, code: 'not_running' })
  })

  it('to a channel without credentials leads to the setup', async () => {
    await using server = await withUsers([])
    const details = { ...telegramDetails, has_config: false, enabled: false, running: false, state: 'stopped' }
    server.answer('GET /api/channels/telegram', success(details))
    const run = await runCli(['send', 'telegram', 'Hello'], { url: server.url })
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('Run: npx gatepost setup telegram')])
  })

  it('reads the message from standard input', async () => {
    await using server = await withUsers([ann])
    await runCli(['send', 'telegram', '-'], { url: server.url, input: 'up 3 days\n' })
    expect(server.seen.at(-1)?.body).toEqual({ message: 'up 3 days\n', user_id: '42' })
  })

  it('a message may begin with a dash after --', async () => {
    await using server = await withUsers([ann])
    const run = await runCli(['send', 'telegram', '--', '--json is a flag'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, 'Sent to Ann @ann.\n'])
    expect(server.seen.at(-1)?.body).toEqual({ message: '--json is a flag', user_id: '42' })
  })

  it('does not send nothing', async () => {
    await using server = await withUsers([ann])
    const run = await runCli(['send', 'telegram', '-'], { url: server.url, input: ' \n' })
    expect([run.code, server.seen.length]).toEqual([2, 0])
  })

  it.each([
    ['not_running', 400, 'npx gatepost enable telegram'],
    ['no_context', 400, 'Ask the person to message the bot first, then try again.'],
    ['no_known_users', 503, 'Ask the person to message the bot first, then try again.'],
    ['delivery_refused', 502, 'npx gatepost deliveries telegram'],
    ['delivery_unknown', 504, 'Check the chat before you send it again'],
    ['something_new', 500, 'The sentence of the server.'],
  ])('%s: shows the sentence and what to do', async (code, status, advice) => {
    await using server = await startFakeServer({ [SEND]: refusal(status, code, 'The sentence of the server.') })
    const run = await runCli(['send', 'telegram', 'Hello', '--user', '42'], { url: server.url })
    expect(run.code).toBe(1)
    expect(run.err).toContain('The sentence of the server.')
    expect(run.err).toContain(advice)
    const json = await runCli(['send', 'telegram', 'Hello', '--user', '42', '--json'], { url: server.url })
    expect(json.json()).toEqual({ ok: false, error: 'The sentence of the server.', code })
  })
})
