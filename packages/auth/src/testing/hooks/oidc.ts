import { expect } from 'vitest'
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
import { type AuthWorld, ORIGIN } from '../auth-world.ts'
import { member } from '../effects/effect.ts'
import type { ModuleHookChange } from './modules.ts'

const SETTINGS = { idpOidc: { enabled: true, accessTokenFormat: 'jwt', privateKey: SIGNING_KEY } } as const
const OTHER_SUBS = {
  getUserSub: (_client: unknown, { id }: { readonly id: unknown }) => `person-${String(id)}`,
}

type Claims = Readonly<Record<string, unknown>>

/** Returns the tokens that a client gets when Ada signs in to it. */
async function signedInto(world: AuthWorld): Promise<Claims> {
  const client = await addClient(world, { skipConsent: true })
  const ada = await member(world)
  const { code = '' } = readAuthorizationResponse(await followRedirects(ada, await ada.get(authorizePath(client))))
  return tokensFor(world, client, code)
}
const decodeIdTokenClaims = (token: unknown): Claims => {
  const claims: unknown = JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString())
  return claims as Claims // one of our tokens
}
const create = (world: AuthWorld) =>
  world.auth.module('oidc').clients.create(world.auth.kernel.database.db, { name: 'Notes' })

/** Hooks of our OpenID Connect provider, like `MODULE_HOOKS` for other modules. */
export const OIDC_HOOKS: readonly ModuleHookChange[] = (
  [
    {
      hook: 'oidc.scopeDisplay',
      adapters: { oidc: { scopeDisplay: { 'notes:read': 'Read what you have noted' } } },
      async observe(world) {
        const client = await addClient(world, { scopes: ['openid', 'notes:read'] })
        const ada = await member(world)
        const { text } = await followRedirects(ada, await ada.get(authorizePath(client)))
        return [text.includes('Read what you have noted'), text.includes('Confirm your identity')]
      },
      expected: [true, true],
    },
    {
      hook: 'oidc.readOnlyScopes',
      adapters: { oidc: { readOnlyScopes: ['openid'] } },
      async observe(world) {
        const { id } = await addClient(world)
        const request = (scope: string) => post(world, '/identity/o/api/device/code', { client_id: id, scope })
        const answers = [await request('openid'), await request('openid profile')]
        return answers.map((answer) => 'verification_uri_complete' in answer)
      },
      expected: [true, false],
    },
    {
      hook: 'oidc.sensitiveScopes',
      adapters: { oidc: { sensitiveScopes: ['profile'] } },
      async observe(world) {
        const { id } = await addClient(world)
        const ada = await member(world)
        world.clock.advance(600_000)
        const asked = await post(world, '/identity/o/api/device/code', { client_id: id, scope: 'profile' })
        return (await ada.post('/identity/o/device', { code: String(asked['user_code']) })).location
      },
      expected: '/accounts/reauthenticate/?next=/identity/o/device',
    },
    {
      hook: 'oidc.consentScopes',
      adapters: { oidc: { consentScopes: ['email'] } },
      async observe(world) {
        const { clients } = world.auth.module('oidc')
        const input = { name: 'Notes', scopes: ['openid', 'email'], skipConsent: true }
        return clients.create(world.auth.kernel.database.db, input).catch(String)
      },
      expected: expect.stringContaining('InvalidInput'),
    },
    {
      hook: 'oidc.generateClientId',
      adapters: { oidc: { generateClientId: () => 'made-up-id' } },
      observe: async (world) => (await create(world)).client.id,
      expected: 'made-up-id',
    },
    {
      hook: 'oidc.generateClientSecret',
      adapters: { oidc: { generateClientSecret: () => 'made-up-secret' } },
      observe: async (world) => (await create(world)).secret,
      expected: 'made-up-secret',
    },
    {
      hook: 'oidc.generateUserCode',
      adapters: { oidc: { generateUserCode: () => 'MADE-UP' } },
      async observe(world) {
        const { id } = await addClient(world)
        return (await post(world, '/identity/o/api/device/code', { client_id: id, scope: 'openid' }))['user_code']
      },
      expected: 'MADE-UP',
    },
    {
      hook: 'oidc.hashToken',
      adapters: { oidc: ({ hashToken }) => ({ hashToken: (token) => `own ${hashToken(token)}` }) },
      async observe(world) {
        const { access_token: token } = await signedInto(world)
        const query = world.auth.kernel.database.db.selectFrom('allauth_idp_oidc_token').select('hash')
        const rows = await query.where('type', '=', 'at').execute()
        return [rows.every(({ hash }) => /^own [0-9a-f]{64}$/.test(hash)), await fetchUserinfo(world, token)]
      },
      expected: [true, expect.objectContaining({ sub: '1' })],
    },
    {
      hook: 'oidc.getIssuer',
      adapters: { oidc: { getIssuer: () => 'https://issuer.example.org' } },
      async observe(world) {
        const response = await world.auth.fetch(new Request(`${ORIGIN}/.well-known/openid-configuration`))
        const { issuer } = (await response.json()) as Claims // one of our documents
        return issuer
      },
      expected: 'https://issuer.example.org',
    },
    {
      hook: 'oidc.populateIdToken',
      adapters: { oidc: { populateIdToken: (claims, { name }) => void (claims['made_for'] = name) } },
      observe: async (world) => decodeIdTokenClaims((await signedInto(world))['id_token'])['made_for'],
      expected: 'Notes',
    },
    {
      hook: 'oidc.populateAccessToken',
      adapters: { oidc: { populateAccessToken: (claims, { user }) => void (claims['made_for'] = user?.username) } },
      observe: async (world) => decodeIdTokenClaims((await signedInto(world))['access_token'])['made_for'],
      expected: 'ada',
    },
    {
      hook: 'oidc.getClaims',
      adapters: {
        oidc: ({ getClaims }) => ({
          getClaims: async (purpose, ...rest) => ({ ...(await getClaims(purpose, ...rest)), told_as: purpose }),
        }),
      },
      async observe(world) {
        const tokens = await signedInto(world)
        return [decodeIdTokenClaims(tokens['id_token']), await fetchUserinfo(world, tokens['access_token'])]
      },
      expected: [expect.objectContaining({ told_as: 'id_token' }), expect.objectContaining({ told_as: 'userinfo' })],
    },
    {
      hook: 'oidc.getUserSub',
      adapters: {
        oidc: ({ getUserBySub }) => ({
          ...OTHER_SUBS,
          getUserBySub: (client, sub) => getUserBySub(client, sub.replace('person-', '')),
        }),
      },
      observe: async (world) => fetchUserinfo(world, (await signedInto(world))['access_token']),
      expected: expect.objectContaining({ sub: 'person-1' }),
    },
    {
      hook: 'oidc.getUserBySub',
      adapters: {
        oidc: ({ getUserBySub }) => ({
          getUserBySub: async (client, sub) => (client.name === 'Closed' ? null : getUserBySub(client, sub)),
        }),
      },
      async observe(world) {
        const client = await addClient(world, { skipConsent: true })
        const ada = await member(world)
        const { code = '' } = readAuthorizationResponse(
          await followRedirects(ada, await ada.get(authorizePath(client))),
        )
        const { auth } = world
        await auth.module('oidc').clients.update(auth.kernel.database.db, client.id, { name: 'Closed' })
        return (await tokensFor(world, client, code))['error']
      },
      expected: 'invalid_grant',
    },
  ] satisfies readonly ModuleHookChange[]
).map((change) => ({ settings: SETTINGS, ...change }))
