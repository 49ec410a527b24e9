import { describe, expect, it } from 'vitest'
import { ann, deadDelivery, message, refusal, startFakeServer, success, wang } from '../testing/fake-server.ts'
import { runCli } from '../testing/test-io.ts'

describe('users', () => {
  it('lists them', async () => {
    await using server = await startFakeServer({ 'GET /api/channels/telegram/users': success({ users: [ann, wang] }) })
    const run = await runCli(['users', 'telegram'], { url: server.url })
    expect(run.out).toBe(
      [
        'User id   Name       Last seen   Allowed   Reachable',
        '42        Ann @ann   2 min ago   yes       yes',
        '77        王小明     1 day ago   no        no: the person has blocked the bot',
        '',
      ].join('\n'),
    )
  })
  it('says when there are none', async () => {
    await using server = await startFakeServer({ 'GET /api/channels/telegram/users': success({ users: [] }) })
    const run = await runCli(['users', 'telegram'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, expect.stringContaining('must message the bot first')])
  })
})

describe('messages', () => {
  it('lists a page and how to get the next', async () => {
    const call = 'GET /api/channels/telegram/messages?limit=20'
    await using server = await startFakeServer({ [call]: success({ items: [message], next: '0197-a' }) })
    const run = await runCli(['messages', 'telegram'], { url: server.url })
    expect(run.out).toMatch(/^2 min ago +Ann +Hello there +answered$/m)
    expect(run.out).toContain('npx gatepost messages telegram --before 0197-a')
  })
  it('passes on the page that is asked for', async () => {
    const call = 'GET /api/channels/telegram/messages?limit=200&before=0197-a'
    await using server = await startFakeServer({ [call]: success({ items: [], next: null }) })
    const run = await runCli(['messages', 'telegram', '--limit', '200', '--before', '0197-a'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, 'No messages.\n'])
  })
  it.each(['0', '201', '-1', 'all', '1e2'])('refuses a limit of %s', async (limit) => {
    const run = await runCli(['messages', 'telegram', `--limit=${limit}`])
    expect([run.code, run.err]).toEqual([2, expect.stringContaining('1 to 200')])
  })
})

describe('deliveries', () => {
  it('lists those that failed for good and how to send one again', async () => {
    const call = 'GET /api/channels/telegram/deliveries?limit=20&dead=true'
    await using server = await startFakeServer({ [call]: success({ items: [deadDelivery], next: null }) })
    const run = await runCli(['deliveries', 'telegram', '--dead'], { url: server.url })
    expect(run.out).toMatch(
      /^59 s ago +send +77 +The backup is done\. +refused: Forbidden: bot was blocked by the user +0197-b\.1$/m,
    )
    expect(run.out).toContain('--resend <id>')
  })
  it('sends one again', async () => {
    const call = 'POST /api/channels/telegram/deliveries/0197-b.1/resend'
    await using server = await startFakeServer({ [call]: success() })
    const run = await runCli(['deliveries', 'telegram', '--resend', '0197-b.1'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, 'Sent.\n'])
    expect(server.seen[0]?.body).toBeUndefined()
  })
  it('says why it cannot', async () => {
    const call = 'POST /api/channels/telegram/deliveries/x/resend'
    await using server = await startFakeServer({
      [call]: refusal(409, 'delivery_not_dead', 'Only a delivery that failed.'),
    })
    const run = await runCli(['deliveries', 'telegram', '--resend', 'x'], { url: server.url })
    expect([run.code, run.err]).toEqual([1, 'Error: Only a delivery that failed.\n'])
  })
})
