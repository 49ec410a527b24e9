import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD } from '../testing/accounts-world.ts'
import type { BrowserSession, Visited } from '../testing/browser-session.ts'

const TIMEOUT_MS = 301_000
const BY_PASSWORD = [{ id: 'reauthenticate' }]

let world: AccountsWorld
/** Staff. */
let ann: BrowserSession
beforeEach(async () => {
  world = await accountsWorld({ MFA_ALLOW_UNVERIFIED_EMAIL: 'true' })
  ann = await world.first()
  await ann.submit('/accounts/reauthenticate/', { password: PASSWORD })
})
afterEach(() => world[Symbol.asyncDispose]())

const REDIRECT = { redirect_uris: ['https://wiki.example.org/callback'] }
const APP = { provider: 'github', name: 'GitHub', client_id: 'made-up', secret: 'made-up' }
/** A call that creates or widens access. */
type Call = readonly [what: string, method: string, path: string, body?: object | undefined]
/** Bo's account is u2. */
const CALLS: readonly Call[] = [
  ['creating a token', 'POST', '/api/tokens', { name: 'x' }],
  ['creating an invitation', 'POST', '/api/invitations', {}],
  ['making someone staff', 'PATCH', '/api/accounts/u2', { staff: true }],
  ["removing others' factors", 'DELETE', '/api/accounts/u2/authenticators'],
  ['registering an OAuth client', 'POST', '/api/admin/clients', { name: 'Wiki', ...REDIRECT }],
  ['adding a social login provider', 'POST', '/api/admin/social-apps', APP],
  ['changing a channel of another account', 'DELETE', '/api/channels/telegram?account=u2'],
]

const send = (by: BrowserSession, [, method, path, body]: Call): Promise<Visited> => by.call(method, path, body)
const codeOf = (answer: Visited): unknown => (answer.json() as { readonly code?: string }).code // of an error
async function addTotp(by: BrowserSession): Promise<string> {
  const page = await by.get('/accounts/2fa/totp/activate/')
  const secret = /\b[A-Z2-7]{32}\b/.exec(page.text)?.[0] ?? ''
  const done = await by.submit('/accounts/2fa/totp/activate/', { code: world.totpCode(secret) })
  expect(done.location).toBe('/accounts/2fa/recovery-codes/')
  return secret
}

describe('recent sign-in', () => {
  it.each(CALLS.map((call) => ({ what: call[0], call })))('is required for $what', async ({ call }) => {
    await world.invited('bo@example.org')
    world.advance(TIMEOUT_MS)
    const refused = await send(ann, call)
    expect([refused.status, refused.json()]).toMatchObject([
      403,
      { code: 'reauthentication_required', flows: BY_PASSWORD },
    ])
    await ann.submit('/accounts/reauthenticate/', { password: PASSWORD })
    expect(codeOf(await send(ann, call))).not.toBe('reauthentication_required')
  })

  it('is by second factor for people who have one', async () => {
    const secret = await addTotp(ann)
    const create: Call = ['', 'POST', '/api/tokens', { name: 'x' }]
    world.advance(TIMEOUT_MS)
    await ann.submit('/accounts/reauthenticate/', { password: PASSWORD })
    expect((await send(ann, create)).json()).toMatchObject({
      code: 'reauthentication_required',
      flows: [{ id: 'mfa_reauthenticate', types: ['recovery_codes', 'totp'] }],
    })
    await ann.submit('/accounts/2fa/reauthenticate/', { code: world.totpCode(secret) })
    expect((await send(ann, create)).status).toBe(200)
  })

  it("is not required to read, to change one's own channels, or of tokens", async () => {
    await world.invited('bo@example.org')
    world.advance(TIMEOUT_MS)
    expect((await ann.get('/api/channels?account=u2')).status).toBe(200)
    expect(codeOf(await ann.call('DELETE', '/api/channels/telegram'))).not.toBe('reauthentication_required')
    expect((await world.ask('POST', '/api/invitations', { body: {} })).status).toBe(200)
  })

  it('is required of apps too', async () => {
    const created = await fetch(`${world.gateway().url}/_allauth/app/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ann@example.org', password: PASSWORD }),
    })
    const { meta } = (await created.json()) as { readonly meta: { readonly session_token: string } } // as the API describes
    const headers = { 'x-session-token': meta.session_token, 'content-type': 'application/json' }
    const create = (): Promise<Response> =>
      fetch(`${world.gateway().url}/api/tokens`, { method: 'POST', headers, body: '{"name":"x"}' })
    expect((await create()).status).toBe(200)
    world.advance(TIMEOUT_MS)
    expect((await create()).status).toBe(403)
    await fetch(`${world.gateway().url}/_allauth/app/v1/auth/reauthenticate`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ password: PASSWORD }),
    })
    expect((await create()).status).toBe(200)
  })

  it('is required to add an email address', async () => {
    world.advance(TIMEOUT_MS)
    const added = await ann.call('POST', '/_allauth/browser/v1/account/email', { email: 'more@example.org' })
    expect([added.status, added.json()]).toMatchObject([401, { meta: { is_authenticated: true } }])
  })
})

describe('email about access', () => {
  /** Waits for the mail about access to an address. */
  const textTo = async (email: string): Promise<string> => {
    for (;;) {
      const { subject, text } = await world.mailTo(email)
      if (subject.includes('Access to your account has changed')) return text.replaceAll(/\s+/g, ' ')
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  it('goes to the account that a token or staff permissions concern', async () => {
    await ann.call('POST', '/api/tokens', { name: 'x' })
    expect(await textTo('ann@example.org')).toContain('A personal access token has been created for your account')
    await world.invited('bo@example.org')
    await ann.call('PATCH', '/api/accounts/u2', { staff: true })
    expect(await textTo('bo@example.org')).toContain('now has admin permissions.')
  })

  it('goes to whoever invited someone', async () => {
    await ann.call('POST', '/api/invitations', {})
    expect(await textTo('ann@example.org')).toContain('An invitation to Gatepost has been created from your account.')
  })

  it('goes to an account that staff act in, once a day', async () => {
    await world.invited('bo@example.org')
    const ids: string[] = []
    for (const name of ['first', 'second']) {
      const { body } = await world.ask('POST', '/api/tokens?account=u2', { body: { name } })
      ids.push(String(body['id']))
    }
    const act = async (): Promise<void> => {
      expect((await ann.call('DELETE', `/api/tokens/${ids.pop()}?account=u2`)).status).toBe(200)
    }
    await act()
    await vi.waitFor(async () => {
      expect((await world.mailTo('bo@example.org')).text).toMatch(/An administrator has made changes in your\s+account/)
    })
    const before = world.mailCount('bo@example.org')
    await act()
    await ann.call('POST', '/api/tokens', { name: 'x' })
    await textTo('ann@example.org')
    expect(world.mailCount('bo@example.org')).toBe(before)
  })
})

describe('a client that skips consent', () => {
  it('never has the scope admin', async () => {
    const refused = await ann.call('POST', '/api/admin/clients', {
      name: 'Wiki',
      scopes: ['openid', 'admin'],
      skip_consent: true,
      ...REDIRECT,
    })
    expect([refused.status, codeOf(refused)]).toEqual([422, 'invalid_input'])
    const { auth } = world.gateway().accounts
    const { db } = auth.kernel.database
    const { client } = await auth.module('oidc').clients.create(db, { name: 'Old', scopes: ['openid', 'admin'] })
    await db.updateTable('allauth_idp_oidc_client').set({ skip_consent: true }).execute()
    expect(await auth.module('oidc').clients.byId(db, client.id)).toMatchObject({ scopes: ['openid'] })
  })
})
