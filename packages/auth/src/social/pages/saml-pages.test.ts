import { type SamlIdentityProvider, samlIdentityProvider } from '@gatepost/emulators/identity-provider'
import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemRandom } from '../../kernel/io.ts'
import { type AuthWorld, authWorld, ORIGIN } from '../../testing/auth-world.ts'
import { GRACE } from '../../testing/social-world.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'

const IDP = 'https://saml.idp.example/entity'
const BASE = '/accounts/saml/acme/'
const CROSS_SITE = { origin: 'https://saml.idp.example', 'sec-fetch-site': 'cross-site' }

const readSamlRedirect = ({ status, location }: Visited): readonly [number, string | null] => [status, location]

describe.each(testDatabases)('organisations with SAML on %s', (_name, open) => {
  let world: AuthWorld
  let idp: SamlIdentityProvider
  beforeAll(async () => {
    idp = samlIdentityProvider({ entityId: IDP, now: () => world.clock.now(), random: systemRandom })
    const app = (client_id: string, advanced: object) => ({
      client_id,
      provider_id: client_id === 'acme' ? IDP : `${IDP}/${client_id}`,
      name: client_id,
      settings: { idp: { entity_id: IDP, metadata_url: idp.addresses().metadata }, advanced },
    })
    const apps = [app('acme', {}), app('open', { reject_idp_initiated_sso: false })]
    world = await authWorld(
      {
        settings: {
          account: { rateLimits: { provider_login: null } },
          socialaccount: { enabled: true, providers: { saml: { APPS: apps } } },
        },
        adapters: { social: { getRequestsSession: () => (request) => idp.fetch(request) } },
      },
      open,
    )
    for (const slug of ['acme', 'open']) {
      const base = `${ORIGIN}/accounts/saml/${slug}/`
      idp.addServiceProvider({ entityId: `${base}metadata/`, acsUrls: [`${base}acs/`], slsUrl: `${base}sls/` })
    }
    idp.signIn(GRACE)
  })
  afterAll(() => world.close())

  /** What the provider has the browser post to us. */
  const answer = async (location: string | null): Promise<Record<string, string>> => {
    const html = await (await idp.fetch(new Request(location ?? 'about:blank'))).text()
    const inputs = html.matchAll(/name="([^"]+)" value="([^"]*)"/g)
    return Object.fromEntries(Array.from(inputs, ([, name = '', value = '']) => [name, value]))
  }
  /** Posts from the provider's site, so without the session; the browser then follows the redirect with it. */
  const carry = async (visitor: Visitor, path: string, fields: Record<string, string>): Promise<Visited> => {
    const carrier = world.visitor()
    carrier.cookies.set('csrftoken', 'none')
    const posted = await carrier.post(path, fields, CROSS_SITE)
    expect(readSamlRedirect(posted)).toEqual([302, `${path}finish/`])
    for (const [name, value] of carrier.cookies) if (name !== 'csrftoken') visitor.cookies.set(name, value)
    return visitor.get(`${path}finish/`)
  }
  const signedIn = async (): Promise<Visitor> => {
    const visitor = world.visitor()
    const begun = await visitor.post(`${BASE}login/?next=/papers/`)
    expect(readSamlRedirect(await carry(visitor, `${BASE}acs/`, await answer(begun.location)))).toEqual([
      302,
      '/papers/',
    ])
    expect(await visitor.whoami()).not.toBeNull()
    return visitor
  }

  it("get the service provider's metadata", async () => {
    const metadata = await world.visitor().get(`${BASE}metadata/`)
    expect([metadata.status, metadata.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8'])
    expect(metadata.html).toContain(`${ORIGIN}${BASE}acs/`)
    for (const path of ['metadata/', 'sls/', 'login/', 'acs/finish/']) {
      expect([path, (await world.visitor().get(`/accounts/saml/none/${path}`)).status]).toEqual([path, 404])
    }
  })

  it('sign their people in', async () => {
    const visitor = await signedIn()
    expect(visitor.cookies.has('saml-acs-session')).toBe(false)
    expect((await visitor.get('/accounts/3rdparty/')).text).toContain('acme')
    expect((await world.visitor().get('/accounts/login/')).html).toContain(`action="${BASE}login/?process=login"`)
  })

  it('reject unsolicited logins, unless the app allows them', async () => {
    const visitor = world.visitor()
    const respond = (slug: string): Record<string, string> => ({
      ...idp.respond(`${ORIGIN}/accounts/saml/${slug}/metadata/`, { relayState: '/papers/' }),
    })
    expect((await carry(visitor, `${BASE}acs/`, respond('acme'))).status).toBe(401)
    expect(await visitor.whoami()).toBeNull()
    const path = '/accounts/saml/open/acs/'
    idp.signIn({ ...GRACE, id: '9', username: 'nina', email: 'nina@example.org' })
    expect(readSamlRedirect(await carry(visitor, path, respond('open')))).toEqual([302, '/papers/'])
    const evil = { ...respond('open'), RelayState: 'https://evil.example/' }
    expect(readSamlRedirect(await carry(world.visitor(), path, evil))).toEqual([302, '/accounts/profile/'])
    idp.signIn(GRACE)
    const begun = await world.visitor().post(`${BASE}login/`)
    idp.fail('bad_signature')
    const forged = await carry(world.visitor(), `${BASE}acs/`, await answer(begun.location))
    idp.clearFaults()
    expect(forged.status).toBe(401)
    expect(forged.html).not.toMatch(/signature/i)
  })
  it('that an old site has under one id are shut until each has its own', async () => {
    const { auth } = world
    const { db } = auth.kernel.database
    const row = { provider: 'saml', provider_id: '', name: '', secret: '', key: '', settings: '{}' }
    await db
      .insertInto('socialaccount_socialapp')
      .values([
        { ...row, client_id: 'north' },
        { ...row, client_id: 'south' },
      ])
      .execute()
    const begin = async (slug: string): Promise<number> =>
      (await world.visitor().get(`/accounts/saml/${slug}/login/`)).status
    expect([await begin('north'), await begin('south'), await begin('acme')]).toEqual([404, 404, 200])
    expect(world.logged.at(-1)).toMatchObject({ level: 'error', message: 'A provider cannot be used' })
    await db
      .updateTable('socialaccount_socialapp')
      .set({ provider_id: 'north' })
      .where('client_id', '=', 'north')
      .execute()
    expect([await begin('north'), await begin('south')]).toEqual([200, 200])
    await db.deleteFrom('socialaccount_socialapp').where('provider', '=', 'saml').execute()
  })

  it('take no sign-out message that they have not sent', async () => {
    const visitor = await signedIn()
    expect(readSamlRedirect(await visitor.get(`${BASE}sls/?SAMLRequest=x`))).toEqual([400, null])
    expect((await carry(visitor, `${BASE}sls/`, { SAMLRequest: 'x' })).status).toBe(400)
    expect((await visitor.get(`${BASE}sls/finish/`)).status).toBe(400)
    expect(await visitor.whoami()).not.toBeNull()
  })
})
