import { type TestDatabase, testDatabases, waitForLockWaiter } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD } from '../testing/accounts-world.ts'
import type { BrowserSession } from '../testing/browser-session.ts'

/** Nobody here can read mail, so an address counts as it is. */
const REQUIRED = { GATEPOST_STAFF_SECOND_FACTOR: 'on', MFA_ALLOW_UNVERIFIED_EMAIL: 'true' }

let world: AccountsWorld
/** Staff, in the account of the owner token. */
let ann: BrowserSession
let database: TestDatabase<object> | null = null
afterEach(async () => {
  await world[Symbol.asyncDispose]()
  await database?.close()
  database = null
})

/** SQLite in the data folder, as without any setting, or the PostgreSQL of the test. */
async function worldOn(
  open: (typeof testDatabases)[number][1],
  env: Readonly<Record<string, string>>,
): Promise<AccountsWorld> {
  database = await open<object>()
  const { url } = database.options
  return accountsWorld(url === undefined ? env : { ...env, GATEPOST_DATABASE_URL: url })
}

const ANYBODY = { preferVerified: false, activeOnly: false }
const refusal = (code: string): unknown => [403, { ok: false, code, error: expect.any(String) }]
const missing = refusal('second_factor_required')

async function get(by: BrowserSession, path: string): Promise<readonly unknown[]> {
  const { status, json } = await by.get(path)
  return [status, json()]
}
/** @returns the secret of the app */
async function addTotp(by: BrowserSession): Promise<string> {
  await by.submit('/accounts/reauthenticate/', { password: PASSWORD })
  const page = await by.get('/accounts/2fa/totp/activate/')
  const secret = /\b[A-Z2-7]{32}\b/.exec(page.text)?.[0] ?? ''
  const done = await by.submit('/accounts/2fa/totp/activate/', { code: world.totpCode(secret) })
  expect([done.status, done.location]).toEqual([302, '/accounts/2fa/recovery-codes/'])
  return secret
}
async function createTokenFor(by: BrowserSession, body: object, query = ''): Promise<string> {
  const made = (await by.call('POST', `/api/tokens${query}`, { name: 'x', ...body })).json()
  return String((made as { token: unknown }).token) // the shape that openapi.test.ts holds the route to
}
async function login(by: BrowserSession, email: string): Promise<string | null> {
  return (await by.submit('/accounts/login/', { login: email, password: PASSWORD })).location
}
async function withToken(token: string, path: string): Promise<readonly unknown[]> {
  const { status, body } = await world.ask('GET', path, { token })
  return [status, body]
}

describe.each(testDatabases)('a second factor that staff must have, on %s', (_name, open) => {
  beforeEach(async () => {
    world = await worldOn(open, REQUIRED)
    ann = await world.first()
  })

  it('is asked for at the sign-in, and gives back what staff may do', async () => {
    for (const path of ['/api/accounts', '/api/audit', '/api/invitations', '/api/channels?account=u2']) {
      expect(await get(ann, path)).toEqual(missing)
    }
    const made = await ann.call('POST', '/api/tokens', { name: 'x', scopes: ['admin'] })
    expect([made.status, made.json()]).toEqual(missing)
    expect((await ann.get('/api/channels')).status).toBe(200)
    expect((await ann.get('/api/me')).json()).toMatchObject({
      scopes: ['channels:read', 'channels:write', 'channels:send', 'account'],
      second_factors: [],
      second_factor_required: true,
    })
    await ann.submit('/accounts/logout/')
    expect(await login(ann, 'ann@example.org')).toBe('/accounts/2fa/')
    expect((await ann.get('/')).location).toBe('/accounts/2fa/')
    expect((await ann.get('/accounts/2fa/')).text).toContain('Admins must use two-factor authentication.')
    await addTotp(ann)
    expect([(await ann.get('/api/accounts')).status, (await ann.get('/')).location]).toEqual([200, 'console/'])
    expect((await ann.get('/api/me')).json()).toMatchObject({
      scopes: expect.arrayContaining(['admin']),
      second_factors: ['recovery_codes', 'totp'],
      second_factor_required: false,
    })
  })

  it('counts for tokens too, in their own account and in others', async () => {
    const secret = await addTotp(ann)
    await world.invited('bo@example.org')
    const own = await createTokenFor(ann, { scopes: ['admin', 'channels:read'] })
    const elsewhere = await createTokenFor(ann, { scopes: ['channels:read'] }, '?account=u2')
    const codes = [await withToken(own, '/api/audit'), await withToken(elsewhere, '/api/channels')]
    expect(codes.map(([status]) => status)).toEqual([200, 200])
    expect(secret).not.toBe('')
    await world.ask('DELETE', '/api/accounts/owner/authenticators')
    expect(await withToken(own, '/api/audit')).toEqual(missing)
    expect(await withToken(own, '/api/channels?account=u2')).toEqual(missing)
    expect((await withToken(own, '/api/channels'))[0]).toBe(200)
    expect(await withToken(elsewhere, '/api/channels')).toEqual(missing)
  })

  it('gives nothing to who is signed in elsewhere by the password alone', async () => {
    const elsewhere = world.browser()
    await elsewhere.submit('/accounts/login/', { login: 'ann@example.org', password: PASSWORD })
    expect(await get(elsewhere, '/api/audit')).toEqual(missing)
    await addTotp(ann)
    expect([(await elsewhere.get('/api/audit')).status, (await ann.get('/api/audit')).status]).toEqual([401, 200])
  })

  it('is not asked of others, nor of the owner token', async () => {
    const bo = await world.invited('bo@example.org')
    expect((await bo.get('/api/me')).json()).toMatchObject({ second_factor_required: false })
    expect(await get(bo, '/api/audit')).toEqual(refusal('scope_missing'))
    expect((await world.ask('GET', '/api/audit')).status).toBe(200)
    await bo.submit('/accounts/logout/')
    expect(await login(bo, 'bo@example.org')).toBe('/console/')
  })

  it('cannot be removed together with all others', async () => {
    const { auth } = world.gateway().accounts
    const [user] = await auth.kernel.users.byEmail(auth.kernel.database.db, 'ann@example.org', ANYBODY)
    if (user === undefined) throw new Error('she has an account')
    const key = { userId: user.id, type: 'webauthn', data: { name: 'x', credential: {} }, createdAtMs: 1 } as const
    const [one, two] = [await insert(key), await insert(key)]
    const remove = (...keys: readonly Awaited<ReturnType<typeof insert>>[]): Promise<unknown> =>
      auth.visit(new Request(world.gateway().url), { remoteAddress: null }, (visit) =>
        auth.module('mfa').webauthn.remove(visit, user, keys),
      )
    const last = { errors: [{ code: 'cannot_delete_authenticator' }] }
    await expect(remove(one, two)).rejects.toMatchObject(last)
    await remove(one)
    await expect(remove(two)).rejects.toMatchObject(last)
    expect(await world.gateway().accounts.factors.listTypes(user)).toEqual(['webauthn'])

    function insert(row: typeof key) {
      return auth.module('mfa').authenticators.insert(auth.kernel.database.db, row)
    }
  })

  it('cannot be removed as the last one', async () => {
    await addTotp(ann)
    const left = await ann.submit('/accounts/2fa/totp/deactivate/')
    expect(left.location).not.toBe('/accounts/2fa/')
    const { body } = await world.ask('GET', '/api/accounts')
    expect(body['items']).toMatchObject([{ second_factors: ['recovery_codes', 'totp'] }])
    await world.ask('POST', '/api/invitations')
    const bo = await world.invited('bo@example.org')
    await addTotp(bo)
    expect((await bo.submit('/accounts/2fa/totp/deactivate/')).location).toBe('/accounts/2fa/')
  })

  it('is told by the doctor until staff have one, to those who see all accounts', async () => {
    const own = await createTokenFor(ann, {})
    const check = async (id: string, token?: string): Promise<unknown> => {
      const answer = await world.ask('GET', '/api/doctor', token === undefined ? {} : { token })
      const { sections } = answer.body as { sections: { checks: object[] }[] } // as above
      return sections.flatMap(({ checks }) => checks).find((found) => Reflect.get(found, 'id') === id)
    }
    const lacking = { status: 'warn', detail: expect.stringContaining('ann@example.org') }
    expect(await check('staff_second_factor')).toMatchObject(lacking)
    expect([await check('mail'), await check('mail', own)]).toMatchObject([{ status: 'warn' }, undefined])
    await addTotp(ann)
    expect(await check('staff_second_factor')).toMatchObject({ status: 'pass' })
    expect(await check('staff_second_factor', own)).toBeUndefined()
  })
})

describe.each(testDatabases)('second factors that are reset, on %s', (_name, open) => {
  let bo: BrowserSession
  let token: string
  beforeEach(async () => {
    world = await worldOn(open, { MFA_ALLOW_UNVERIFIED_EMAIL: 'true' })
    ann = await world.first()
    bo = await world.invited('bo@example.org')
    await addTotp(bo)
    token = await createTokenFor(bo, { scopes: ['channels:read'] })
  })
  const reset = (id: string): ReturnType<BrowserSession['call']> =>
    ann.call('DELETE', `/api/accounts/${id}/authenticators`)

  it('are gone, with the sessions, and their owner is told; a password is enough again', async () => {
    expect((await reset('u2')).json()).toMatchObject({ id: 'u2', second_factors: [] })
    expect([(await bo.get('/api/me')).status, (await withToken(token, '/api/channels'))[0]]).toEqual([401, 200])
    const mail = await world.mailTo('bo@example.org')
    expect([mail.subject, mail.text]).toEqual([
      '[Gatepost] Two-factor authentication has been reset',
      expect.stringContaining(`${world.gateway().url}/accounts/2fa/`),
    ])
    expect(mail.html).toContain('signed you out everywhere')
    expect(await login(bo, 'bo@example.org')).toBe('/console/')
    const { body } = await world.ask('GET', '/api/audit?account=u2')
    expect(body['items']).toMatchObject([
      { action: 'user_logged_in' },
      { action: 'resetAuthenticators', actor: '1', target: expect.stringMatching(/^u2 (totp|recovery_codes) \d+ /) },
      { action: 'createToken' },
      { action: 'authenticator_added', target: 'recovery_codes 2', outcome: 'ok' },
      { action: 'authenticator_added', target: 'totp 1', actor: '2', actor_kind: 'session' },
      {},
      {},
      {},
    ])
  })

  it('are gone with one that was being added at the same time', async () => {
    const { auth, factors } = world.gateway().accounts
    const { database, users } = auth.kernel
    const mfa = auth.module('mfa')
    const [user] = await users.byEmail(database.db, 'bo@example.org', ANYBODY)
    if (user === undefined) throw new Error('he has an account')
    const [added, isReset] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const adding = database.transaction(async (tx) => {
      await mfa.authenticators.lock(tx, user.id)
      const row = { userId: user.id, type: 'webauthn', data: { name: 'x', credential: {} }, createdAtMs: 1 } as const
      await mfa.authenticators.insert(tx, row)
      added.resolve()
      await isReset.promise
    })
    await added.promise
    const resetting = reset('u2')
    await Promise.race([resetting, waitForLockWaiter(database)])
    isReset.resolve()
    await adding
    expect((await resetting).json()).toMatchObject({ second_factors: [] })
    expect(await factors.listTypes(user)).toEqual([])
  })

  it.each([
    ["one's own", 'owner', 409, 'own_account'],
    ['those of nobody', 'u99', 404, 'unknown_account'],
  ])('are not %s', async (_why, id, status, code) => {
    const answer = await reset(id)
    expect([answer.status, answer.json()]).toMatchObject([status, { code }])
  })

  it('leave somebody without any as they are', async () => {
    const cy = await world.invited('cy@example.org')
    expect((await reset('u3')).status).toBe(200)
    expect((await cy.get('/api/me')).status).toBe(200)
  })

  it('are not for people to reset', async () => {
    const answer = await bo.call('DELETE', '/api/accounts/owner/authenticators')
    expect([answer.status, answer.json()]).toEqual(refusal('scope_missing'))
  })
})
