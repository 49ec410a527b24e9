import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD } from '../../testing/accounts-world.ts'
import type { BrowserSession } from '../../testing/browser-session.ts'

const DAY_MS = 86_400_000

let world: AccountsWorld
let ann: BrowserSession
beforeEach(async () => {
  world = await accountsWorld()
  ann = await world.first()
})
afterEach(() => world[Symbol.asyncDispose]())

interface Made {
  readonly id: string
  readonly token: string
}

async function made(by: BrowserSession, body: object, path = '/api/tokens'): Promise<Made> {
  const answer = await by.call('POST', path, { name: 'program', ...body })
  expect(answer.status).toBe(200)
  return answer.json() as Made // the shape that openapi.test.ts holds the route to
}
const statusWith = async (token: string, path = '/api/channels'): Promise<number> =>
  (await world.ask('GET', path, { token })).status
const changeUser = async (id: number, changes: { isStaff?: boolean; isActive?: boolean }): Promise<void> => {
  const { auth } = world.gateway().accounts
  await auth.kernel.users.update(auth.kernel.database.db, id, changes)
}

describe('a personal access token', () => {
  it('may do everything about channels by default, and nothing else', async () => {
    const { token } = await made(ann, {})
    expect(token).toMatch(/^gp_[\w-]{43}$/)
    expect(await statusWith(token)).toBe(200)
    expect([await statusWith(token, '/api/tokens'), await statusWith(token, '/api/accounts')]).toEqual([403, 403])
  })

  it('is shown once: neither the list, nor the log, nor the data folder has it', async () => {
    const { id, token } = await made(ann, { name: 'backup' })
    await statusWith(token)
    const listed = await ann.get('/api/tokens')
    expect(listed.json()).toMatchObject({ tokens: [{ id, name: 'backup', account: 'owner', user_id: '1' }] })
    await world.gateway().stop()
    const { readFile, readdir } = await import('node:fs/promises')
    const { join } = await import('node:path')
    const files = (await readdir(world.dataDir, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
    const kept = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))
    expect(kept.length).toBeGreaterThan(3)
    expect([listed.text, JSON.stringify(world.lines), ...kept].filter((text) => text.includes(token.slice(3)))).toEqual(
      [],
    )
  })

  it('tells when it was used last, exact to a minute', async () => {
    const { token } = await made(ann, {})
    const lastUse = async (): Promise<unknown> => {
      await world.gateway().accounts.tokens.settle()
      return ((await ann.get('/api/tokens')).json() as { tokens: { last_used_at: number | null }[] }).tokens[0]
        ?.last_used_at // as above
    }
    expect(await lastUse()).toBeNull()
    await statusWith(token)
    const first = await lastUse()
    expect(first).toEqual(expect.any(Number))
    await statusWith(token)
    expect(await lastUse()).toBe(first)
    world.advance(61_000)
    await statusWith(token)
    expect(await lastUse()).toBeGreaterThanOrEqual(Number(first) + 61_000)
  })

  it('is refused at once when it is revoked, and can be revoked once', async () => {
    const { id, token } = await made(ann, {})
    expect((await ann.call('DELETE', `/api/tokens/${id}`)).status).toBe(200)
    expect(await statusWith(token)).toBe(401)
    expect((await ann.call('DELETE', `/api/tokens/${id}`)).json()).toMatchObject({ code: 'unknown_token' })
  })

  it('ends by itself: after 90 days, or when it was told to', async () => {
    const [usual, short, endless] = [
      await made(ann, {}),
      await made(ann, { expires_in: 60 }),
      await made(ann, { expires_in: null }),
    ]
    const states = async (): Promise<number[]> => [
      await statusWith(usual.token),
      await statusWith(short.token),
      await statusWith(endless.token),
    ]
    expect(await states()).toEqual([200, 200, 200])
    world.advance(60_000)
    expect(await states()).toEqual([200, 401, 200])
    world.advance(90 * DAY_MS)
    expect(await states()).toEqual([401, 401, 200])
  })

  it('never outlives the rights of who made it', async () => {
    const cy = await world.invited('cy@example.org', true)
    const { token } = await made(cy, { scopes: ['channels:read', 'admin'] })
    const elsewhere = await made(cy, {}, '/api/tokens?account=owner')
    expect([await statusWith(token, '/api/audit'), await statusWith(token, '/api/channels?account=owner')]).toEqual([
      200, 200,
    ])
    expect(await statusWith(elsewhere.token)).toBe(200)
    await changeUser(2, { isStaff: false })
    expect([await statusWith(token, '/api/audit'), await statusWith(token, '/api/channels?account=owner')]).toEqual([
      403, 404,
    ])
    expect([await statusWith(token), await statusWith(elsewhere.token)]).toEqual([200, 401])
    await changeUser(2, { isActive: false })
    expect(await statusWith(token)).toBe(401)
  })

  it('makes no token that may do more, or lives longer, than itself', async () => {
    const { token } = await made(ann, { scopes: ['account', 'channels:read'], expires_in: 3600 })
    const refused = await world.ask('POST', '/api/tokens', { token, body: { name: 'more', scopes: ['channels:send'] } })
    expect([refused.status, refused.body]).toMatchObject([403, { code: 'scope_not_allowed' }])
    const { body } = await world.ask('POST', '/api/tokens', { token, body: { name: 'longer', expires_in: null } })
    expect(body['scopes']).toEqual(['channels:read'])
    world.advance(3_600_000)
    expect(await statusWith(String(body['token']))).toBe(401)
  })

  it('takes with it what it has made, when it is revoked', async () => {
    const { id, token } = await made(ann, { scopes: ['account', 'channels:read'] })
    const { body } = await world.ask('POST', '/api/tokens', { token, body: { name: 'for later' } })
    expect(await statusWith(String(body['token']))).toBe(200)
    expect((await ann.call('DELETE', `/api/tokens/${id}`)).status).toBe(200)
    expect(await statusWith(String(body['token']))).toBe(401)
  })

  it('belongs to its account: another one neither sees nor revokes it', async () => {
    const { id } = await made(ann, {})
    const bo = await world.invited('bo@example.org')
    expect((await bo.get('/api/tokens')).json()).toEqual({ tokens: [] })
    expect((await bo.call('DELETE', `/api/tokens/${id}`)).json()).toMatchObject({ code: 'unknown_token' })
    const bos = await made(bo, {})
    const seen = await world.ask('GET', '/api/tokens?account=u2')
    expect(seen.body).toMatchObject({ tokens: [{ id: bos.id }] })
    expect((await world.ask('DELETE', `/api/tokens/${bos.id}?account=u2`)).status).toBe(200)
    expect(await statusWith(bos.token)).toBe(401)
  })

  const wrong: readonly unknown[] = [
    {},
    { name: '' },
    { name: '  ' },
    { name: 'x'.repeat(101) },
    { name: 'x', scopes: [] },
    { name: 'x', scopes: ['everything'] },
    { name: 'x', expires_in: 59 },
    { name: 'x', expires_in: '1' },
    { name: 'x', account: 'owner' },
  ]
  it.each(wrong)('is not made from %j', async (body) => {
    expect((await world.ask('POST', '/api/tokens', { body })).status).toBe(422)
  })

  it('is one of 100 at most', async () => {
    const { tokens, people } = world.gateway().accounts
    const owner = await people.findCaller(
      new Request('http://x', { headers: { authorization: `Bearer ${world.gateway().ownerToken.reveal()}` } }),
    )
    if (owner === null) throw new Error('the owner token is not known')
    for (let n = 0; n < 100; n++) {
      await tokens.create(owner, 'owner', { name: `t${n}`, scopes: null, expiresInSeconds: 60 })
    }
    const answer = await world.ask('POST', '/api/tokens', { body: { name: 'one more' } })
    expect([answer.status, answer.body]).toMatchObject([409, { code: 'too_many_tokens' }])
    world.advance(60_000)
    expect((await world.ask('POST', '/api/tokens', { body: { name: 'one more' } })).status).toBe(200)
  })

  it('is listed for 30 days after its end', async () => {
    await world.ask('POST', '/api/tokens', { body: { name: 'short', expires_in: 60 } })
    await world.ask('POST', '/api/tokens', { body: { name: 'endless', expires_in: null } })
    const names = async (): Promise<readonly string[]> => {
      await world.gateway().accounts.tokens.sweep()
      const { body } = await world.ask('GET', '/api/tokens')
      return (body['tokens'] as { name: string }[]).map(({ name }) => name) // as above
    }
    world.advance(30 * DAY_MS)
    expect(await names()).toEqual(['endless', 'short'])
    world.advance(120_000)
    expect(await names()).toEqual(['endless'])
  })
})

describe('a session', () => {
  it('is refused at once when its user is disabled, has another password, or has signed out', async () => {
    const bo = await world.invited('bo@example.org')
    const other = world.browser()
    await other.submit('/accounts/login/', { login: 'bo@example.org', password: PASSWORD })
    expect([(await bo.get('/api/me')).status, (await other.get('/api/me')).status]).toEqual([200, 200])
    await other.submit('/accounts/logout/')
    expect([(await bo.get('/api/me')).status, (await other.get('/api/me')).status]).toEqual([200, 401])
    await changeUser(2, { isActive: false })
    expect((await bo.get('/api/me')).status).toBe(401)
    await changeUser(2, { isActive: true })
    const { auth } = world.gateway().accounts
    await auth.kernel.users.setPassword(
      auth.kernel.database.db,
      2,
      await auth.kernel.passwords.hash('another made-up passphrase'),
    )
    expect((await bo.get('/api/me')).status).toBe(401)
  })

  it('may change things from a page of ours', async () => {
    const bo = await world.invited('bo@example.org')
    const origin = world.gateway().url
    expect((await bo.call('POST', '/api/tokens', { name: 'x' }, { origin })).status).toBe(200)
  })

  it('shows only staff the metrics of all accounts', async () => {
    const bo = await world.invited('bo@example.org')
    const proxied = { 'x-forwarded-for': '203.0.113.9' }
    expect((await bo.get('/metrics', proxied)).status).toBe(403)
    expect((await ann.get('/metrics', proxied)).status).toBe(200)
  })
})
