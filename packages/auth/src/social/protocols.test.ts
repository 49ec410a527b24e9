import { samlIdentityProvider } from '@gatepost/emulators/identity-provider'
import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemRandom } from '../kernel/io.ts'
import { ORIGIN } from '../testing/auth-world.ts'
import { GRACE, type SocialWorld, socialWorld } from '../testing/social-world.ts'
import type { Visited, Visitor } from '../testing/visitor.ts'

const IDP = 'https://saml.idp.example/entity'
const ACME = '/accounts/saml/acme/'
const SECRET = 'a made-up secret'
/** By provider: where people come back to. */
const CALLBACKS: Readonly<Record<string, string>> = { steam: 'steam/callback/', draugiem: 'draugiem/callback/' }

describe.each(testDatabases)('protocols other than OAuth 2 and OpenID Connect on %s', (_name, open) => {
  let world: SocialWorld
  const idp = samlIdentityProvider({ entityId: IDP, now: () => world.clock.now(), random: systemRandom })
  beforeAll(async () => {
    const app = { client_id: 'our-app', secret: SECRET }
    const acme = {
      client_id: 'acme',
      provider_id: IDP,
      name: 'Acme',
      settings: {
        idp: { entity_id: IDP, metadata_url: idp.addresses().metadata },
        advanced: { reject_idp_initiated_sso: false },
      },
    }
    const providers = { steam: { APP: app }, draugiem: { APP: app }, openid: {}, saml: { APPS: [acme] } }
    const fetch = (request: Request) =>
      request.url.startsWith('https://saml.idp.example/') ? idp.fetch(request) : world.emulator.fetch(request)
    world = await socialWorld(
      {
        settings: { account: { rateLimits: { provider_login: null } }, socialaccount: { providers } },
        adapters: { social: { getRequestsSession: () => fetch } },
      },
      open,
    )
    for (const [provider, path] of Object.entries(CALLBACKS)) {
      const redirectUris = [`${ORIGIN}/accounts/${path}`]
      world.emulator.addClient(provider, { clientId: 'our-app', secret: SECRET, redirectUris })
    }
    const [entityId, acs, slsUrl] = ['metadata/', 'acs/', 'sls/'].map((path) => `${ORIGIN}${ACME}${path}`)
    idp.addServiceProvider({ entityId: entityId ?? '', acsUrls: [acs ?? ''], slsUrl: slsUrl ?? '' })
    idp.signIn(GRACE)
  })
  afterAll(() => world.close())

  /** What the browser posts to us. */
  const assertion = async (location: string | null): Promise<Record<string, string>> => {
    const html = await (await idp.fetch(new Request(location ?? 'about:blank'))).text()
    return Object.fromEntries(
      [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    )
  }
  const post = (visitor: Visitor, fields: Record<string, string>): Promise<Visited> =>
    visitor.post(`${ACME}acs/`, { csrfmiddlewaretoken: 'none', ...fields })
  const signedIn = async (): Promise<Visitor> => {
    const visitor = world.visitor()
    const begun = await visitor.post(`${ACME}login/?next=/papers/`)
    const posted = await post(visitor, await assertion(begun.location))
    expect([posted.status, posted.location]).toEqual([302, `${ACME}acs/finish/`])
    const finished = await visitor.get(posted.location ?? '')
    expect([finished.status, finished.location]).toEqual([302, '/papers/'])
    return visitor
  }

  it.each(['steam', 'draugiem'])('let people in: %s', async (provider) => {
    const visitor = world.visitor()
    await world.through(visitor, provider)
    expect(await visitor.whoami()).not.toBeNull()
  })

  it("keep users from finishing each other's handshake: Draugiem", async () => {
    const planted = await world.agree((await world.visitor().post('/accounts/draugiem/login/')).location)
    const visitor = world.visitor()
    const begun = await visitor.post('/accounts/draugiem/login/')
    const own = await world.agree(begun.location)
    const { pathname, searchParams } = new URL(planted, ORIGIN)
    for (const path of [planted, `${pathname}?dr_auth_status=ok&dr_auth_code=${searchParams.get('dr_auth_code')}`]) {
      expect((await visitor.get(path)).status).toBe(401)
      expect(await visitor.whoami()).toBeNull()
    }
    await visitor.get(own)
    expect(await visitor.whoami()).not.toBeNull()
  })

  it('let people in by the OpenID that they type, once for each answer', async () => {
    const visitor = world.visitor()
    const begun = await visitor.post('/accounts/openid/login/', { openid: `https://openid.example/people/grace` })
    const callback = await world.agree(begun.location)
    await visitor.get(callback)
    expect(await visitor.whoami()).not.toBeNull()
    expect((await world.visitor().get(callback)).status).toBe(401)
    const nowhere = await world.visitor().post('/accounts/openid/login/', { openid: 'http://169.254.169.254/latest' })
    expect([nowhere.status, nowhere.html.includes('aria-invalid="true"')]).toEqual([200, true])
  })

  it('let an organisation sign its people in and out, each assertion once', async () => {
    const visitor = await signedIn()
    expect(await visitor.whoami()).not.toBeNull()
    expect((await visitor.get(`${ACME}sls/?SAMLRequest=x`)).status).toBe(400)
    const address = idp.logoutAddress(`${ORIGIN}${ACME}metadata/`)
    const out = await visitor.get(address.slice(ORIGIN.length))
    expect(out.location).toMatch(/^https:\/\/saml\.idp\.example\/slo\?SAMLResponse=/)
    expect(await visitor.whoami()).toBeNull()
    const metadata = await visitor.get(`${ACME}metadata/`)
    expect([metadata.status, metadata.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8'])
    expect(metadata.html).toContain(`entityID="${ORIGIN}${ACME}metadata/"`)
  })

  it('take what an organisation begins itself once, and only from it', async () => {
    const fields = { ...idp.respond(`${ORIGIN}${ACME}metadata/`, { relayState: '/papers/' }) }
    const statuses: number[] = []
    for (const visitor of [world.visitor(), world.visitor()]) {
      const finished = await visitor.get((await post(visitor, fields)).location ?? '')
      statuses.push(finished.status)
      if (finished.status === 302) expect(finished.location).toBe('/papers/')
    }
    expect(statuses).toEqual([302, 401])
    const elsewhere = idp.respond(`${ORIGIN}${ACME}metadata/`, { relayState: 'https://evil.example/' })
    const visitor = world.visitor()
    const led = await visitor.get((await post(visitor, { ...elsewhere })).location ?? '')
    expect([led.status, led.location]).toEqual([302, expect.not.stringContaining('evil')])
    for (const fault of ['unsigned', 'bad_signature', 'other_issuer', 'malformed'] as const) {
      idp.fail(fault)
      const forged = { ...idp.respond(`${ORIGIN}${ACME}metadata/`) }
      idp.clearFaults()
      const stranger = world.visitor()
      expect((await stranger.get((await post(stranger, forged)).location ?? '')).status).toBe(401)
      expect(await stranger.whoami()).toBeNull()
    }
  })
})
