import { describe, expect, it } from 'vitest'
import { refusal, startFakeServer, success } from '../testing/fake-server.ts'
import { runCli } from '../testing/test-io.ts'

const bo = { id: 'u2', user: { id: '2', email: 'bo@example.org', name: '', staff: false, active: true } }

describe('accounts list', () => {
  it('shows whose they are, and how to see more', async () => {
    const items = [{ id: 'owner', user: null }, bo]
    await using server = await startFakeServer({ 'GET /api/accounts?limit=2': success({ items, next: 'u2' }) })
    const run = await runCli(['accounts', 'list', '--limit', '2'], { url: server.url })
    expect(run.out).toMatch(/^owner +no user$/m)
    expect(run.out).toMatch(/^u2 +bo@example.org +no +yes$/m)
    expect(run.out).toContain('accounts list --after u2')
  })

  it('asks for the page that was named', async () => {
    await using server = await startFakeServer({
      'GET /api/accounts?limit=20&after=u2': success({ items: [], next: null }),
    })
    const run = await runCli(['accounts', 'list', '--after', 'u2', '--json'], { url: server.url })
    expect(run.json()).toEqual({ items: [], next: null })
  })
})

describe('accounts update', () => {
  it.each([
    [['--staff'], { staff: true }],
    [['--no-staff', '--active'], { staff: false, active: true }],
    [['--no-active'], { active: false }],
  ])('%j asks for %j', async (switches, change) => {
    const user = { ...bo.user, ...change }
    await using server = await startFakeServer({ 'PATCH /api/accounts/u2': success({ id: 'u2', user }) })
    const run = await runCli(['accounts', 'update', 'u2', ...switches], { url: server.url })
    expect([run.code, server.seen[0]?.body]).toEqual([0, change])
    const said = [user.staff, user.active].map((is) => (is ? 'yes' : 'no')).join(' +')
    expect(run.out).toMatch(new RegExp(`^u2 +bo@example.org +${said}$`, 'm'))
  })

  it.each([[['u2']], [[]], [['..', '--staff']]])('refuses %j', async (args) => {
    expect((await runCli(['accounts', 'update', ...args])).code).toBe(2)
  })

  it('passes on why the server refuses', async () => {
    const why = "You can't change your own account here. Ask another staff member."
    await using server = await startFakeServer({ 'PATCH /api/accounts/owner': refusal(409, 'own_account', why) })
    const run = await runCli(['accounts', 'update', 'owner', '--no-staff'], { url: server.url })
    expect([run.code, run.err]).toEqual([1, expect.stringContaining(why)])
  })

  it('names both ways of each switch', async () => {
    const { out } = await runCli(['accounts', 'update', '--help'])
    for (const name of ['--staff', '--no-staff', '--active', '--no-active']) expect(out).toContain(`  ${name} `)
  })
})

describe('accounts reset-mfa', () => {
  it('asks for it, and shows whose they were', async () => {
    const answer = success({ ...bo, second_factors: [] })
    await using server = await startFakeServer({ 'DELETE /api/accounts/u2/authenticators': answer })
    const run = await runCli(['accounts', 'reset-mfa', 'u2'], { url: server.url })
    expect([run.code, run.out]).toEqual([
      0,
      expect.stringMatching(/^u2 +bo@example.org[^]*All second factors removed\.$/m),
    ])
  })

  it.each([[[]], [['..']], [['u2', 'u3']]])('refuses %j', async (args) => {
    expect((await runCli(['accounts', 'reset-mfa', ...args])).code).toBe(2)
  })

  it('passes on why the server refuses', async () => {
    const why = "Only the owner token can change the owner's account."
    await using server = await startFakeServer({
      'DELETE /api/accounts/owner/authenticators': refusal(409, 'owner_account', why),
    })
    const run = await runCli(['accounts', 'reset-mfa', 'owner'], { url: server.url })
    expect([run.code, run.err]).toEqual([1, expect.stringContaining(why)])
  })
})
