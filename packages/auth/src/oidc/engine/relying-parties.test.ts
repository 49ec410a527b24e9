import { testDatabases } from '@gatepost/sql/testing'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORIGIN } from '../../testing/auth-world.ts'
import type { OidcClient } from '../clients.ts'
import {
  CALLBACK,
  CHALLENGE,
  type OidcBench,
  oidcBench,
  authorizationRequest,
  RESOURCE,
  VERIFIER,
} from './testing-bench.ts'

const ISSUER = new URL(ORIGIN)
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'

describe.each(testDatabases)('relying parties of others on %s', (_name, open) => {
  let bench: OidcBench
  let http: { [oauth.allowInsecureRequests]: true; [oauth.customFetch]: OidcBench['fetch'] }
  let server: oauth.AuthorizationServer
  beforeAll(async () => {
    bench = await oidcBench({ open, settings: { dynamicClientRegistrationEnabled: true } })
    http = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: bench.fetch }
    const response = await oauth.discoveryRequest(ISSUER, { ...http, algorithm: 'oidc' })
    server = await oauth.processDiscoveryResponse(ISSUER, response)
  })
  afterAll(() => bench.close())

  const callback = (client: OidcClient, params: Record<string, string>): Promise<URL> =>
    bench.authorize(authorizationRequest(client, params))

  it('oauth4webapi: code with PKCE, userinfo, refresh, introspection, revocation', async () => {
    const { client, secret } = await bench.client()
    const own = { client_id: client.id }
    const proof = oauth.ClientSecretBasic(secret)
    const url = await callback(client, { scope: 'openid email profile', nonce: 'a-nonce', max_age: '600' })
    const answer = oauth.validateAuthResponse(server, own, url, 'a-state')
    const response = await oauth.authorizationCodeGrantRequest(server, own, proof, answer, CALLBACK, VERIFIER, http)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const tokens = await oauth.processAuthorizationCodeResponse(server, own, response, {
      expectedNonce: 'a-nonce',
      maxAge: 600,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, response, http)
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    expect(claims).toMatchObject({ iss: ORIGIN, aud: client.id, sub: '1', acr: 'aal1', amr: ['pwd'] })
    expect(claims).toMatchObject({ email: 'ada@example.org', email_verified: true, given_name: 'Ada' })
    expect(claims?.jti).toMatch(/^[0-9a-f]{32}$/)
    expect((claims?.exp ?? 0) - (claims?.iat ?? 0)).toBe(300)

    const info = await oauth.userInfoRequest(server, own, tokens.access_token, http)
    expect(await oauth.processUserInfoResponse(server, own, '1', info)).toEqual({
      sub: '1',
      email: 'ada@example.org',
      email_verified: true,
      name: 'Ada',
      given_name: 'Ada',
      preferred_username: 'ada',
    })

    const again = await oauth.refreshTokenGrantRequest(server, own, proof, tokens.refresh_token ?? '', http)
    const fresh = await oauth.processRefreshTokenResponse(server, own, again)
    expect(fresh.refresh_token).not.toBe(tokens.refresh_token)
    expect(oauth.getValidatedIdTokenClaims(fresh)?.sub).toBe('1')
    const shown = await oauth.introspectionRequest(server, own, proof, fresh.access_token, http)
    expect(await oauth.processIntrospectionResponse(server, own, shown)).toMatchObject({
      active: true,
      client_id: client.id,
      sub: '1',
      scope: 'openid email profile',
      token_type: 'Bearer',
    })
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, own, proof, fresh.refresh_token ?? '', http),
    )
    expect(await bench.world.auth.module('oidc').tokens.check(fresh.access_token)).toBeNull()
  })

  it('oauth4webapi: a device', async () => {
    const { client } = await bench.client({ type: 'public', grantTypes: [DEVICE, 'refresh_token'], redirectUris: [] })
    const own = { client_id: client.id }
    const ask = { scope: 'openid things:read', resource: RESOURCE }
    const asked = await oauth.deviceAuthorizationRequest(server, own, oauth.None(), ask, http)
    const device = await oauth.processDeviceAuthorizationResponse(server, own, asked)
    expect(device.verification_uri).toBe(`${ORIGIN}/identity/o/device`)
    expect(device.verification_uri_complete).toBeUndefined()
    expect([device.expires_in, device.interval]).toEqual([300, 5])
    const poll = async (): Promise<oauth.TokenEndpointResponse | string> => {
      const response = await oauth.deviceCodeGrantRequest(server, own, oauth.None(), device.device_code, http)
      try {
        return await oauth.processDeviceCodeResponse(server, own, response)
      } catch (error) {
        if (error instanceof oauth.ResponseBodyError) return error.error
        throw error
      }
    }
    expect(await poll()).toBe('authorization_pending')
    expect(await poll()).toBe('slow_down')
    bench.world.clock.advance(5_000)
    expect(await bench.decide(device.user_code.toLowerCase().replace('-', ' '), true)).toBe(true)
    expect(await bench.decide(device.user_code, false)).toBe(false)
    const tokens = await poll()
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'things:read' })
    const access = typeof tokens === 'string' ? '' : tokens.access_token
    expect(await bench.world.auth.module('oidc').tokens.check(access)).toMatchObject({ audience: RESOURCE })
    bench.world.clock.advance(5_000)
    expect(await poll()).toBe('invalid_grant')
  })

  it('openid-client: code, userinfo, refresh, client credentials, revocation', async () => {
    const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const
    const { client, secret } = await bench.client({ grantTypes, defaultScopes: ['things:read'] })
    const options = { execute: [openid.allowInsecureRequests], [openid.customFetch]: bench.fetch }
    const proof = openid.ClientSecretPost(secret)
    const config = await openid.discovery(ISSUER, client.id, secret, proof, { ...options, algorithm: 'oauth2' })
    const to = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid profile',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      nonce: 'a-nonce',
      state: 'a-state',
    })
    const url = await bench.authorize(Object.fromEntries(to.searchParams))
    const tokens = await openid.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: VERIFIER,
      expectedNonce: 'a-nonce',
      expectedState: 'a-state',
      idTokenExpected: true,
    })
    expect(await openid.fetchUserInfo(config, tokens.access_token, '1')).toMatchObject({ preferred_username: 'ada' })
    const narrow = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', { scope: 'openid' })
    expect(narrow.scope).toBe('openid')
    const ownTokens = await openid.clientCredentialsGrant(config)
    expect(ownTokens).toMatchObject({ scope: 'things:read' })
    expect(ownTokens.refresh_token).toBeUndefined()
    const checked = await bench.world.auth.module('oidc').tokens.check(ownTokens.access_token)
    expect(checked).toMatchObject({ user: null, scopes: ['things:read'], audience: null })
    await openid.tokenRevocation(config, ownTokens.access_token)
    expect(await openid.tokenIntrospection(config, ownTokens.access_token)).toEqual({ active: false })
  })

  it('openid-client: an id token in the fragment, and a client that registers itself', async () => {
    const responseTypes = ['id_token', 'id_token token'] as const
    const { client } = await bench.client({ responseTypes })
    const options = { execute: [openid.allowInsecureRequests], [openid.customFetch]: bench.fetch }
    const config = await openid.discovery(ISSUER, client.id, undefined, openid.None(), options)
    openid.useIdTokenResponseType(config)
    const implicit = { response_type: 'id_token', nonce: 'a-nonce', scope: 'openid email' }
    const url = await bench.authorize(authorizationRequest(client, implicit))
    const claims = await openid.implicitAuthentication(config, url, 'a-nonce', { expectedState: 'a-state' })
    expect(claims).toMatchObject({ sub: '1', email: 'ada@example.org' })

    const wanted = { redirect_uris: ['http://127.0.0.1/cb'], client_name: 'An\u202Eagent', scope: 'things:read' }
    const registered = await openid.dynamicClientRegistration(ISSUER, wanted, openid.None(), options)
    const metadata = registered.clientMetadata()
    expect(metadata).toMatchObject({
      client_name: 'An agent',
      token_endpoint_auth_method: 'none',
      scope: 'things:read',
    })
    const there = await bench.authorize({
      client_id: metadata.client_id,
      redirect_uri: 'http://127.0.0.1:51234/cb',
      response_type: 'code',
      scope: 'things:read',
      resource: RESOURCE,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    })
    const tokens = await openid.authorizationCodeGrant(
      registered,
      there,
      { pkceCodeVerifier: VERIFIER },
      { resource: RESOURCE },
    )
    const checked = await bench.world.auth.module('oidc').tokens.check(tokens.access_token)
    expect(checked).toMatchObject({ audience: RESOURCE, scopes: ['things:read'], client: { name: 'An agent' } })
  })
})
