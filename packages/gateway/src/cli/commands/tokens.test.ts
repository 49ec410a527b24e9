import { describe, expect, it } from 'vitest'
import { NOW, refusal, startFakeServer, success } from '../testing/fake-server.ts'
import { runCli } from '../testing/test-io.ts'

const DAY_MS = 86_400_000
const token = {
  id: '0197-t',
  name: 'backup',
  account: 'owner',
  user_id: null,
  scopes: ['channels:read'],
  created_at: NOW,
  expires_at: NOW + 3 * DAY_MS,
  last_used_at: NOW - 120_000,
}

describe('token create', () => {
  it('prints the text alone on standard output, so that a script can take it', async () => {
    await using server = await startFakeServer({ 'POST /api/tokens': success({ ...token, token: 'gp_made-up' }) })
    const run = await runCli(['token', 'create', '--name', 'backup'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, 'gp_made-up\n'])
    expect(run.err).toContain("won't be shown again")
    expect(server.seen[0]?.body).toEqual({ name: 'backup' })
  })

  it.each([
    ['30d', 30 * 86_400],
    ['12h', 43_200],
    ['90m', 5_400],
    ['never', null],
  ])('asks for %s', async (text, seconds) => {
    await using server = await startFakeServer({ 'POST /api/tokens?account=u2': success({ ...token, token: 'gp_x' }) })
    const line = ['token', 'create', '--name', 'x', '--scopes', 'channels:read, account', '--expires', text]
    const run = await runCli([...line, '--account', 'u2', '--json'], { url: server.url })
    expect(run.json()).toMatchObject({ token: 'gp_x' })
    expect(server.seen[0]?.body).toEqual({ name: 'x', scopes: ['channels:read', 'account'], expires_in: seconds })
  })

  it.each([[[]], [['--name', 'x', '--expires', '0d']], [['--name', 'x', '--expires', '30']]])(
    'refuses %j',
    async (args) => {
      const run = await runCli(['token', 'create', ...args, '--json'])
      expect([run.code, run.json()]).toMatchObject([2, { code: 'usage' }])
    },
  )

  it('passes on why the server refuses', async () => {
    const why = "A token can't have more permissions than its creator."
    await using server = await startFakeServer({ 'POST /api/tokens': refusal(403, 'scope_not_allowed', why) })
    const run = await runCli(['token', 'create', '--name', 'x'], { url: server.url })
    expect([run.code, run.err]).toEqual([4, expect.stringContaining(why)])
  })
})

describe('token list', () => {
  it('lists them, with last use and end', async () => {
    const tokens = [token, { ...token, name: 'old', expires_at: NOW - 1, last_used_at: null }]
    await using server = await startFakeServer({ 'GET /api/tokens': success({ tokens }) })
    const run = await runCli(['token', 'list'], { url: server.url })
    expect(run.out).toMatch(/^backup +channels:read +2 min ago +in 3 days +0197-t$/m)
    expect(run.out).toMatch(/^old +channels:read +never +expired +0197-t$/m)
  })

  it('says how to make one when there is none', async () => {
    await using server = await startFakeServer({ 'GET /api/tokens': success({ tokens: [] }) })
    expect((await runCli(['token', 'list'], { url: server.url })).out).toContain('token create')
  })
})

describe('token revoke', () => {
  it('revokes one', async () => {
    await using server = await startFakeServer({ 'DELETE /api/tokens/0197-t': success() })
    const run = await runCli(['token', 'revoke', '0197-t'], { url: server.url })
    expect([run.code, run.out]).toEqual([0, 'Revoked.\n'])
  })

  it.each(['..', 'a/b', ''])('refuses the id %j', async (id) => {
    expect((await runCli(['token', 'revoke', id])).code).toBe(2)
  })
})

it('a group without its command says what there is', async () => {
  expect(await runCli(['token'])).toMatchObject({ code: 2, err: expect.stringContaining('token revoke') })
  expect(await runCli(['token', 'drop'])).toMatchObject({ code: 2 })
  expect((await runCli(['token', '--help'])).out).toMatch(/^ {2}token list /m)
})

describe('invite', () => {
  const made = {
    id: 'i1',
    email: null,
    staff: false,
    expires_at: NOW + 7 * DAY_MS,
    url: 'http://x/accounts/invitation/k/',
  }

  it('prints the link', async () => {
    await using server = await startFakeServer({ 'POST /api/invitations': success(made) })
    const run = await runCli(['invite'], { url: server.url })
    expect([run.code, run.out, server.seen[0]?.body]).toEqual([0, `${made.url}\n`, { staff: false }])
  })

  it('has it mailed', async () => {
    const email = 'ann@example.org'
    await using server = await startFakeServer({ 'POST /api/invitations': success({ ...made, email, staff: true }) })
    const run = await runCli(['invite', email, '--staff'], { url: server.url })
    expect([run.err, server.seen[0]?.body]).toEqual([expect.stringContaining(email), { email, staff: true }])
  })
})
