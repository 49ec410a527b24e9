import { createPublicKey } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { type SamlIdentityProvider, samlIdentityProvider } from '@gatepost/emulators/identity-provider'
import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { systemRandom } from '../../kernel/io.ts'
import { type AuthWorld, authWorld, ORIGIN } from '../../testing/auth-world.ts'
import { GRACE } from '../../testing/social-world.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'
import { PROTOCOL } from '../saml/names.ts'
import { OUR_KEY } from '../saml/testing-encryption.ts'
import { findElements, readXml, type XmlElement } from '../wire/xml.ts'

const IDP = 'https://saml.idp.example/entity'
const LOGOUT = '/accounts/logout/'
const BROWSER = { accept: 'text/html' }
const entityId = (slug: string): string => `${ORIGIN}/accounts/saml/${slug}/metadata/`

/** What each organisation changes. */
type Organisations = Readonly<Record<string, { readonly idp?: object; readonly advanced?: object }>>

async function organisations(apps: Organisations, changed: object, open?: (typeof testDatabases)[number][1]) {
  let world: AuthWorld | null = null
  const idp = samlIdentityProvider({ entityId: IDP, now: () => world?.clock.now() ?? 0, random: systemRandom })
  const described = Object.entries(apps).map(([slug, { idp: own, advanced = {} }]) => ({
    client_id: slug,
    provider_id: `${IDP}/${slug}`,
    settings: { idp: { entity_id: IDP, metadata_url: idp.addresses().metadata, ...own }, advanced },
  }))
  world = await authWorld(
    {
      settings: {
        account: { emailVerification: 'none', rateLimits: { provider_login: null } },
        socialaccount: { enabled: true, emailRequired: true, providers: { saml: { APPS: described } } },
        ...changed,
      },
      adapters: { social: { getRequestsSession: () => (request) => idp.fetch(request) } },
    },
    open,
  )
  for (const [slug, { advanced = {} }] of Object.entries(apps)) {
    const base = `${ORIGIN}/accounts/saml/${slug}/`
    const key =
      'private_key' in advanced ? String(createPublicKey(OUR_KEY).export({ type: 'spki', format: 'pem' })) : ''
    const provider = { entityId: entityId(slug), acsUrls: [`${base}acs/`], slsUrl: `${base}sls/` }
    idp.addServiceProvider({ ...provider, ...(key && { certificate: key }) })
  }
  return { world, idp }
}

/** Signs in whom the provider has there. */
async function signInAtOrganisation(world: AuthWorld, idp: SamlIdentityProvider, slug: string): Promise<Visitor> {
  const visitor = world.visitor()
  const path = `/accounts/saml/${slug}/`
  const begun = await visitor.post(`${path}login/`)
  const html = await (await idp.fetch(new Request(begun.location ?? 'about:blank'))).text()
  const inputs = html.matchAll(/name="([^"]+)" value="([^"]*)"/g)
  await visitor.post(
    `${path}acs/`,
    Object.fromEntries(Array.from(inputs, ([, name = '', value = '']) => [name, value])),
  )
  expect((await visitor.get(`${path}acs/finish/`)).status).toBe(302)
  return visitor
}

/** The message of an address of the provider. */
function messageIn(address: string | null, param: 'SAMLRequest' | 'SAMLResponse'): XmlElement {
  const url = new URL(address ?? 'about:blank')
  expect(`${url.origin}${url.pathname}`).toBe('https://saml.idp.example/slo')
  return readXml(inflateRawSync(Buffer.from(url.searchParams.get(param) ?? '', 'base64')).toString())
}
const readLogoutStatus = (answer: Visited): readonly (string | undefined)[] =>
  findElements(messageIn(answer.location, 'SAMLResponse'), PROTOCOL, 'StatusCode').map(({ attributes }) =>
    attributes.get('Value')?.replace(/.*:/, ''),
  )
const stripOrigin = (address: string): string => address.slice(ORIGIN.length)
const readLogoutRedirect = ({ status, location }: Visited): readonly [number, string | null] => [status, location]

describe.each(testDatabases)('single logout on %s', (_name, open) => {
  let world: AuthWorld
  let idp: SamlIdentityProvider
  beforeAll(async () => {
    const sso = 'https://saml.idp.example/sso'
    const { certificate } = samlIdentityProvider({ entityId: IDP, now: () => 0, random: systemRandom })
    const apps = {
      acme: { advanced: { private_key: OUR_KEY, authn_request_signed: true, logout_request_signed: true } },
      quiet: { advanced: { sp_initiated_slo: false } },
      bare: { idp: { metadata_url: '', sso_url: sso, x509cert: certificate } },
    }
    const opened = await organisations(apps, {}, open)
    world = opened.world
    idp = opened.idp
  })
  afterAll(() => world.close())
  afterEach(() => idp.clearFaults())

  const signedIn = async (slug = 'acme', id = GRACE.id): Promise<Visitor> => {
    const own = id === GRACE.id ? {} : { id, username: id, email: `${id}@example.org` }
    idp.signIn({ ...GRACE, ...own })
    const visitor = await signInAtOrganisation(world, idp, slug)
    expect(await visitor.whoami()).not.toBeNull()
    return visitor
  }
  /** Returns path and query of the provider's reply to a logout request. */
  const replyTo = async (address: string | null): Promise<string> => {
    const reply = await idp.fetch(new Request(address ?? 'about:blank'))
    return stripOrigin(reply.headers.get('location') ?? '')
  }
  /** Path and query by which the provider signs somebody out. */
  const asked = (about?: Parameters<SamlIdentityProvider['logoutAddress']>[1]): string =>
    stripOrigin(idp.logoutAddress(entityId('acme'), about))

  it('follows a sign-out here, by a page that leads on, and comes back once', async () => {
    const visitor = await signedIn()
    const page = await visitor.post(LOGOUT, { next: '/papers/' }, BROWSER)
    expect([page.status, await visitor.whoami()]).toEqual([200, null])
    const [, escaped = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page.html) ?? []
    const address = escaped.replaceAll('&amp;', '&')
    const request = messageIn(address, 'SAMLRequest')
    const [name] = findElements(request, 'urn:oasis:names:tc:SAML:2.0:assertion', 'NameID')
    expect([name?.text, name?.attributes.get('Format')]).toEqual([GRACE.id, expect.stringContaining(':persistent')])
    const [index] = findElements(request, PROTOCOL, 'SessionIndex')
    expect(index?.text).toMatch(/^session-_/)
    const { db } = world.auth.kernel.database
    const accounts = await db.selectFrom('socialaccount_socialaccount').selectAll().execute()
    expect(JSON.stringify(accounts)).not.toContain('session-_')
    const back = await replyTo(address)
    expect(readLogoutRedirect(await visitor.get(back))).toEqual([302, '/papers/'])
    expect((await visitor.get('/accounts/login/')).text).toContain("You've signed out.")
    expect(readLogoutRedirect(await visitor.get(back))).toEqual([400, null])
  })

  it("accepts only the provider's reply to this browser's request, and ends nothing by one", async () => {
    const visitor = await signedIn()
    const begun = await visitor.post(LOGOUT)
    expect([begun.status, await visitor.whoami()]).toEqual([302, null])
    const colleague = await signedIn()
    const other = await replyTo((await (await signedIn()).post(LOGOUT)).location)
    for (const fault of ['unsigned', 'other_key', 'other_issuer', 'wrong_in_response_to'] as const) {
      idp.fail(fault)
      expect([fault, (await visitor.get(await replyTo(begun.location))).status]).toEqual([fault, 400])
    }
    idp.clearFaults()
    const good = await replyTo(begun.location)
    expect((await visitor.get(other)).status).toBe(400)
    expect((await colleague.get(good)).status).toBe(400)
    expect(await colleague.whoami()).not.toBeNull()
    expect(readLogoutRedirect(await visitor.get(good))).toEqual([302, '/'])
  })

  it('requested by the provider ends the requested session, and no other', async () => {
    const visitor = await signedIn()
    const unknown = ['Requester', 'UnknownPrincipal']
    expect(readLogoutStatus(await visitor.get(asked({ nameId: 'somebody' })))).toEqual(unknown)
    expect(readLogoutStatus(await visitor.get(asked({ sessionIndexes: ['session-_x'] })))).toEqual(unknown)
    idp.fail('other_key')
    expect((await visitor.get(asked())).status).toBe(400)
    idp.clearFaults()
    expect(await visitor.whoami()).not.toBeNull()
    expect(readLogoutStatus(await world.visitor().get(asked()))).toEqual(unknown)
    await world.addUser({ username: 'Ada', email: 'ada@example.org', password: 'a made-up phrase' })
    const ada = world.visitor()
    await ada.login('Ada', 'a made-up phrase')
    expect(readLogoutStatus(await ada.get(asked()))).toEqual(unknown)
    expect(await ada.whoami()).toBe('Ada')

    const good = asked()
    expect(readLogoutStatus(await visitor.get(good))).toEqual(['Success'])
    expect(await visitor.whoami()).toBeNull()
    const again = await signedIn()
    expect((await again.get(good)).status).toBe(400)
    expect(await again.whoami()).not.toBeNull()
  })

  it('can be requested by a form, which comes without a session', async () => {
    const visitor = await signedIn()
    const path = '/accounts/saml/acme/sls/'
    const post = async (SAMLRequest: string): Promise<Visited> => {
      const carrier = world.visitor()
      expect(readLogoutRedirect(await carrier.post(path, { SAMLRequest }))).toEqual([302, `${path}finish/`])
      for (const [name, value] of carrier.cookies) if (name.startsWith('saml')) visitor.cookies.set(name, value)
      return visitor.get(`${path}finish/`)
    }
    const foreign = await post(idp.logoutPost(entityId('acme'), { nameId: 'somebody' }))
    expect(readLogoutStatus(foreign)).toEqual(['Requester', 'UnknownPrincipal'])
    for (const fault of ['unsigned', 'other_key', 'deprecated_algorithm'] as const) {
      idp.fail(fault)
      expect([fault, (await post(idp.logoutPost(entityId('acme')))).status]).toEqual([fault, 400])
    }
    idp.clearFaults()
    expect(await visitor.whoami()).not.toBeNull()
    expect(readLogoutStatus(await post(idp.logoutPost(entityId('acme'))))).toEqual(['Success'])
    expect(await visitor.whoami()).toBeNull()
  })

  it('is of one organisation, which another cannot ask for', async () => {
    const visitor = await signedIn()
    const elsewhere = stripOrigin(idp.logoutAddress(entityId('quiet')))
    expect(readLogoutStatus(await visitor.get(elsewhere))).toEqual(['Requester', 'UnknownPrincipal'])
    expect(await visitor.whoami()).not.toBeNull()
  })

  it('knows the session of a user who completed a form first', async () => {
    idp.signIn({ ...GRACE, id: 'nina', username: 'nina', email: null })
    const visitor = await signInAtOrganisation(world, idp, 'acme')
    expect(await visitor.whoami()).toBeNull()
    await visitor.post('/accounts/3rdparty/signup/', { username: 'nina', email: 'nina@example.org' })
    expect(await visitor.whoami()).toBe('nina')
    const { location } = await visitor.post(LOGOUT)
    expect(findElements(messageIn(location, 'SAMLRequest'), PROTOCOL, 'SessionIndex')).toHaveLength(1)
  })

  it('ends here alone where the organisation takes or wants no requests, or cannot be asked', async () => {
    for (const [slug, id] of [
      ['quiet', 'olga'],
      ['bare', 'pia'],
    ] as const) {
      const visitor = await signedIn(slug, id)
      expect([slug, ...readLogoutRedirect(await visitor.post(LOGOUT, {}, BROWSER))]).toEqual([slug, 302, '/'])
      expect(await visitor.whoami()).toBeNull()
      expect((await visitor.get('/accounts/login/')).text).toContain("You've signed out.")
    }
    const visitor = await signedIn()
    world.clock.advance(5 * 3_600_000)
    idp.fail('status_500')
    expect(readLogoutRedirect(await visitor.post(LOGOUT))).toEqual([302, '/'])
    expect(await visitor.whoami()).toBeNull()
  })
})

describe('with strict cookies and addresses to be verified', () => {
  let world: AuthWorld
  let idp: SamlIdentityProvider
  beforeAll(async () => {
    const account = { emailVerification: 'mandatory', signupFields: ['email*', 'username*', 'password1*'] }
    const settings = { sessionCookieSamesite: 'Strict', account }
    const opened = await organisations({ acme: {} }, settings)
    world = opened.world
    idp = opened.idp
  })
  afterAll(() => world.close())

  it('the session is found by asking once more', async () => {
    idp.signIn(GRACE)
    const visitor = await signInAtOrganisation(world, idp, 'acme')
    expect(await visitor.whoami()).not.toBeNull()
    const page = await world.visitor().get(stripOrigin(idp.logoutAddress(entityId('acme'))))
    const [, escaped = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page.html) ?? []
    expect(readLogoutStatus(await visitor.get(escaped.replaceAll('&amp;', '&')))).toEqual(['Success'])
    expect(await visitor.whoami()).toBeNull()
  })

  it('an abandoned sign-in has no effect on the next user', async () => {
    await world.addUser({ username: 'Ada', email: 'ada@example.org', password: 'a made-up phrase' })
    idp.signIn({ ...GRACE, id: 'olga', username: 'olga', email: 'olga@example.org', emailVerified: false })
    const visitor = await signInAtOrganisation(world, idp, 'acme')
    await visitor.login('Ada', 'a made-up phrase')
    expect(await visitor.whoami()).toBe('Ada')
    expect(readLogoutStatus(await visitor.get(stripOrigin(idp.logoutAddress(entityId('acme')))))).toHaveLength(2)
    expect(await visitor.whoami()).toBe('Ada')
    expect(readLogoutRedirect(await visitor.post(LOGOUT))).toEqual([302, '/'])
  })
})
