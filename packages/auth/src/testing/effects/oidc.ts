import {
  addClient,
  readAuthorizationResponse,
  authorizePath,
  followRedirects,
  post,
  SIGNING_KEY,
  tokensFor,
  fetchUserinfo,
} from '../../oidc/pages/testing-relying-party.ts'
import type { OidcClient } from '../../oidc/clients.ts'
import { type AuthWorld, ORIGIN } from '../auth-world.ts'
import type { Visitor } from '../visitor.ts'
import { type Effect, member, maskCode } from './effect.ts'

const ON = { idpOidc: { enabled: true, privateKey: SIGNING_KEY } } as const
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const TOKEN = '/identity/o/api/token'

interface SignedIn {
  readonly client: OidcClient
  readonly ada: Visitor
  readonly code: string
}

/** Signs Ada in to a client. Returns the client, her browser, and the code. */
async function codeFor(world: AuthWorld): Promise<SignedIn> {
  const client = await addClient(world, { skipConsent: true, scopes: ['openid'] })
  const ada = await member(world)
  const { code = '' } = readAuthorizationResponse(await followRedirects(ada, await ada.get(authorizePath(client))))
  return { client, ada, code }
}
type Answer = Readonly<Record<string, unknown>>

async function tokens(world: AuthWorld, waitMs = 0): Promise<Answer & { readonly client: OidcClient }> {
  const { client, code } = await codeFor(world)
  world.clock.advance(waitMs)
  return { ...(await tokensFor(world, client, code)), client }
}
const refresh = (world: AuthWorld, { client, refresh_token }: Awaited<ReturnType<typeof tokens>>): Promise<Answer> =>
  post(world, TOKEN, { grant_type: 'refresh_token', client_id: client.id, refresh_token: String(refresh_token) })

async function device(world: AuthWorld): Promise<Answer & { readonly client: OidcClient }> {
  const client = await addClient(world)
  return { ...(await post(world, '/identity/o/api/device/code', { client_id: client.id, scope: 'openid' })), client }
}
const poll = (world: AuthWorld, asked: Awaited<ReturnType<typeof device>>): Promise<Answer> =>
  post(world, TOKEN, {
    grant_type: DEVICE_GRANT,
    client_id: asked.client.id,
    device_code: String(asked['device_code']),
  })
const get = (world: AuthWorld, path: string): Promise<Response> => world.auth.fetch(new Request(`${ORIGIN}${path}`))
async function loadDiscoveryMember(world: AuthWorld, member: string): Promise<unknown> {
  const document: unknown = await (await get(world, '/.well-known/openid-configuration')).json()
  return (document as Answer)[member] // an object according to the standard
}
/** Returns an ID token's lifetime in seconds. */
function idTokenLifetimeSeconds(token: unknown): number {
  const claims: unknown = JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString())
  const { iat, exp } = claims as { readonly iat: number; readonly exp: number } // one of our tokens
  return exp - iat
}

const MINUTE = 60_000

/** The effects of settings of our OpenID Connect provider. */
export const OIDC_EFFECTS: readonly Effect[] = [
  {
    setting: 'idpOidc.enabled',
    changed: { idpOidc: { enabled: true } },
    observe: async (world) =>
      Promise.all(
        ['/.well-known/openid-configuration', '/identity/o/device'].map(
          async (path) => (await get(world, path)).status,
        ),
      ),
    without: [404, 404],
    within: [200, 302],
  },
  {
    setting: 'idpOidc.accessTokenExpiresIn',
    base: ON,
    changed: { idpOidc: { accessTokenExpiresIn: 60 } },
    async observe(world) {
      const { expires_in: life, access_token: token } = await tokens(world)
      world.clock.advance(MINUTE)
      return [life, typeof (await fetchUserinfo(world, token))]
    },
    without: [3_600, 'object'],
    within: [60, 'number'],
  },
  {
    setting: 'idpOidc.accessTokenFormat',
    base: ON,
    changed: { idpOidc: { accessTokenFormat: 'jwt' } },
    observe: async (world) => String((await tokens(world))['access_token']).split('.').length,
    without: 1,
    within: 3,
  },
  {
    setting: 'idpOidc.authorizationCodeExpiresIn',
    base: ON,
    changed: { idpOidc: { authorizationCodeExpiresIn: 300 } },
    observe: async (world) => (await tokens(world, 2 * MINUTE))['error'],
    without: 'invalid_grant',
    within: undefined,
  },
  {
    setting: 'idpOidc.deviceCodeExpiresIn',
    base: ON,
    changed: { idpOidc: { deviceCodeExpiresIn: 30 } },
    async observe(world) {
      const asked = await device(world)
      world.clock.advance(MINUTE)
      return [asked['expires_in'], (await poll(world, asked))['error'] === 'authorization_pending']
    },
    without: [300, true],
    within: [30, false],
  },
  {
    setting: 'idpOidc.deviceCodeInterval',
    base: ON,
    changed: { idpOidc: { deviceCodeInterval: 20 } },
    async observe(world) {
      const asked = await device(world)
      await poll(world, asked)
      world.clock.advance(10_000)
      return [asked['interval'], (await poll(world, asked))['error']]
    },
    without: [5, 'authorization_pending'],
    within: [20, 'slow_down'],
  },
  {
    setting: 'idpOidc.idTokenExpiresIn',
    base: ON,
    changed: { idpOidc: { idTokenExpiresIn: 900 } },
    observe: async (world) => idTokenLifetimeSeconds((await tokens(world))['id_token']),
    without: 300,
    within: 900,
  },
  {
    setting: 'idpOidc.privateKey',
    base: { idpOidc: { enabled: true } },
    changed: { idpOidc: { privateKey: SIGNING_KEY } },
    async observe(world) {
      const body = await (await get(world, '/.well-known/jwks.json')).text()
      const rows = await world.auth.kernel.database.db.selectFrom('gatepost_artifact').select('key').execute()
      return [body.includes('"n"'), rows.length > 0]
    },
    without: [true, true],
    within: [true, false],
  },
  {
    setting: 'idpOidc.rateLimits',
    base: ON,
    changed: { idpOidc: { rateLimits: { device_user_code: '1/m/ip' } } },
    async observe(world) {
      const ada = await member(world)
      await ada.get('/identity/o/device?code=AAAA-AAAA')
      return (await ada.get('/identity/o/device?code=AAAA-AAAA')).text.includes('Too many requests')
    },
    without: false,
    within: true,
  },
  {
    setting: 'idpOidc.dynamicClientRegistrationEnabled',
    base: ON,
    changed: { idpOidc: { dynamicClientRegistrationEnabled: true } },
    observe: async (world) => typeof (await loadDiscoveryMember(world, 'registration_endpoint')),
    without: 'undefined',
    within: 'string',
  },
  {
    setting: 'idpOidc.refreshTokenExpiresIn',
    base: ON,
    changed: { idpOidc: { refreshTokenExpiresIn: 60 } },
    async observe(world) {
      const given = await tokens(world)
      world.clock.advance(MINUTE)
      return (await refresh(world, given))['error']
    },
    without: undefined,
    within: 'invalid_grant',
  },
  {
    setting: 'idpOidc.rotateRefreshToken',
    base: ON,
    changed: { idpOidc: { rotateRefreshToken: false } },
    async observe(world) {
      const given = await tokens(world)
      await refresh(world, given)
      return (await refresh(world, given))['error']
    },
    without: 'invalid_grant',
    within: undefined,
  },
  {
    setting: 'idpOidc.rpInitiatedLogoutAsksForOpLogout',
    base: ON,
    changed: { idpOidc: { rpInitiatedLogoutAsksForOpLogout: false } },
    async observe(world) {
      const { client, ada, code } = await codeFor(world)
      const { id_token: hint } = await tokensFor(world, client, code)
      return (await ada.get(`/identity/o/logout?id_token_hint=${String(hint)}`)).status
    },
    without: 200,
    within: 302,
  },
  {
    setting: 'idpOidc.userinfoEndpoint',
    base: ON,
    changed: { idpOidc: { userinfoEndpoint: 'https://id.example.org/claims' } },
    observe: async (world) => [
      await loadDiscoveryMember(world, 'userinfo_endpoint'),
      (await get(world, '/identity/o/api/userinfo')).status,
    ],
    without: [`${ORIGIN}/identity/o/api/userinfo`, 401],
    within: ['https://id.example.org/claims', 404],
  },
  {
    setting: 'idpOidc.userCodeFormat',
    base: ON,
    changed: { idpOidc: { userCodeFormat: { numeric: true } } },
    observe: async (world) => maskCode(String((await device(world))['user_code'])),
    without: 'AAAA-AAAA',
    within: '000-000-000',
  },
]
