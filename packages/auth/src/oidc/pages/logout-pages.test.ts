import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import type { OidcClientInput } from '../clients.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visited } from '../../testing/visitor.ts'
import {
  addClient,
  readAuthorizationResponse,
  authorizePath,
  followRedirects,
  PASSWORD,
  SIGNING_KEY,
  tokensFor,
  fetchUserinfo,
} from './testing-relying-party.ts'

describe.each(testDatabases)('a logout that a client starts on %s', (_name, open) => {
  const LOGOUT = '/identity/o/logout'
  const BYE = 'https://notes.example.com/bye'
  let world: AuthWorld
  afterEach(() => world.close())

  /** Returns a user who is signed in to a client, and the client's tokens. */
  async function start(settings: AuthSettingsInput['idpOidc'] = {}, more: OidcClientInput = {}) {
    world = await authWorld({ settings: { idpOidc: { enabled: true, privateKey: SIGNING_KEY, ...settings } } }, open)
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    const client = await addClient(world, { skipConsent: true, postLogoutRedirectUris: [BYE], ...more })
    const visitor = world.visitor()
    await visitor.login('ada', PASSWORD)
    const first = await followRedirects(visitor, await visitor.get(authorizePath(client)))
    const boxes = Object.fromEntries(client.scopes.map((scope) => [`scope_${scope}`, 'on']))
    const allowed = first.location === null ? await visitor.post(first.at, { ...boxes, action: 'grant' }) : first
    const { code = '' } = readAuthorizationResponse(await followRedirects(visitor, allowed))
    const { id_token: hint, access_token: token } = await tokensFor(world, client, code)
    const query = (more: Readonly<Record<string, string>> = {}): string =>
      `${LOGOUT}?${new URLSearchParams({ id_token_hint: String(hint), ...more }).toString()}`
    return { client, visitor, token, query }
  }
  const BACK = { post_logout_redirect_uri: BYE, state: 'made-up-state' }
  const readHiddenFields = ({ html }: Visited): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Array.from(
        html.matchAll(/type="hidden" id="id_\w+" name="(\w+)" value="([^"]*)"/g),
        ([, name = '', value = '']) => [name, value],
      ),
    )

  it('asks, and goes back to the client', async () => {
    const { visitor, token, query } = await start()
    const asked = await visitor.get(query(BACK))
    expect(asked.text).toContain('Notes signed you out. Do you want to sign out of Example too?')
    expect(asked.headers.get('x-frame-options')).toBe('DENY')
    expect(asked.headers.get('content-security-policy')).toMatch(/form-action 'self' https:$/)
    const foreign = { ...readHiddenFields(asked), action: 'logout', csrfmiddlewaretoken: 'x'.repeat(32) }
    expect((await visitor.post(LOGOUT, foreign)).status).toBe(403)
    expect((await visitor.post(LOGOUT, { ...foreign, csrfmiddlewaretoken: '' })).status).toBe(403)
    expect(await visitor.whoami()).toBe('ada')
    const left = await visitor.post(LOGOUT, { ...readHiddenFields(asked), action: 'logout' })
    expect(left.location).toBe(`${BYE}?state=made-up-state`)
    expect(await visitor.whoami()).toBeNull()
    expect(await fetchUserinfo(world, token)).toBe(401)
    expect((await visitor.get('/accounts/login/')).text).not.toContain('signed out')
    expect((await visitor.get(query(BACK))).location).toBe(`${BYE}?state=made-up-state`)
  })

  it('lets users stay signed in, but revokes the tokens of the client', async () => {
    const { visitor, token, query } = await start()
    const asked = await visitor.get(query())
    expect((await visitor.post(LOGOUT, { ...readHiddenFields(asked), action: 'stay' })).location).toBe('/')
    expect(await visitor.whoami()).toBe('ada')
    expect(await fetchUserinfo(world, token)).toBe(401)
  })

  it('ends tokens and codes, and keeps the consents', async () => {
    const { client, visitor, query } = await start({}, { skipConsent: false })
    const { code = '' } = readAuthorizationResponse(await visitor.get(authorizePath(client)))
    await visitor.post(LOGOUT, { ...readHiddenFields(await visitor.get(query())), action: 'stay' })
    expect(await tokensFor(world, client, code)).toMatchObject({ error: 'invalid_grant' })
    const again = readAuthorizationResponse(await visitor.get(authorizePath(client, { prompt: 'none' })))
    expect(await tokensFor(world, client, again.code ?? '')).toHaveProperty('access_token')
  })

  it('redirects to registered URIs only', async () => {
    const { client, visitor, query } = await start()
    const elsewhere = { post_logout_redirect_uri: 'https://evil.example/' }
    const asks = [
      query(elsewhere),
      `${LOGOUT}?${new URLSearchParams({ client_id: client.id, ...elsewhere }).toString()}`,
      `${LOGOUT}?${new URLSearchParams(BACK).toString()}`,
    ]
    for (const ask of asks) {
      const asked = await visitor.get(ask)
      expect(asked.headers.get('content-security-policy')).toMatch(/form-action 'self'$/)
      expect((await visitor.post(LOGOUT, { ...readHiddenFields(asked), action: 'stay' })).location).toBe('/')
      expect((await world.visitor().get(ask)).location).toBe('/')
    }
  })

  it("accepts a client's form post, which comes without a session", async () => {
    const { query, visitor } = await start()
    const body = new URLSearchParams(query(BACK).split('?')[1])
    const sent = await world.auth.fetch(
      new Request(`http://auth.test${LOGOUT}`, {
        method: 'POST',
        body,
        headers: { origin: 'https://notes.example.com' },
      }),
    )
    expect([sent.status, sent.headers.get('location')]).toEqual([302, query(BACK)])
    expect((await visitor.get(sent.headers.get('location') ?? '')).text).toContain('Notes signed you out.')
  })

  it('skips the confirmation if the client identifies the user', async () => {
    const { client, visitor, query } = await start({ rpInitiatedLogoutAsksForOpLogout: false })
    const unproved = await visitor.get(`${LOGOUT}?client_id=${client.id}`)
    expect(unproved.text).toContain('Do you want to sign out of Example too?')
    await world.addUser({ username: 'grace', email: 'grace@example.org', password: PASSWORD })
    const grace = world.visitor()
    await grace.login('grace', PASSWORD)
    expect((await grace.get(query(BACK))).status).toBe(200)
    expect(await grace.whoami()).toBe('grace')
    expect((await visitor.get(query(BACK))).location).toBe(`${BYE}?state=made-up-state`)
    expect(await visitor.whoami()).toBeNull()
  })
})
