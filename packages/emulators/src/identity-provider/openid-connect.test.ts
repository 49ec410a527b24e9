import { randomBytes } from 'node:crypto'
import * as client from 'openid-client'
import { expect, it } from 'vitest'
import { identityProviderEmulator } from './emulator.ts'

const REDIRECT = 'https://app.example/callback'
const ada = {
  id: '4711',
  email: 'ada@people.example',
  emailVerified: true,
  username: 'ada',
  firstName: 'Ada',
  lastName: 'Adler',
}

it('lets a certified client sign a person in', async () => {
  const emulator = identityProviderEmulator({ now: () => Date.now(), random: randomBytes })
  emulator.signIn(ada)
  emulator.addClient('openid_connect', { clientId: 'app', secret: 'app-secret', redirectUris: [REDIRECT] })
  const answer: client.CustomFetch = (url, { signal, body, ...options }) =>
    emulator.fetch(
      new Request(url, { ...options, ...(signal ? { signal } : {}), ...(body === undefined ? {} : { body }) }),
    )
  const configuration = await client.discovery(new URL('https://login.idp.example'), 'app', 'app-secret', undefined, {
    [client.customFetch]: answer,
  })
  configuration[client.customFetch] = answer

  const verifier = client.randomPKCECodeVerifier()
  const target = client.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT,
    scope: 'openid email profile',
    state: 'state-1',
    nonce: 'nonce-1',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const back = await emulator.fetch(new Request(target))
  const tokens = await client.authorizationCodeGrant(configuration, new URL(back.headers.get('location') ?? ''), {
    pkceCodeVerifier: verifier,
    expectedState: 'state-1',
    expectedNonce: 'nonce-1',
  })
  expect(tokens.claims()).toMatchObject({ iss: 'https://login.idp.example', aud: 'app', sub: '4711' })
  const person = await client.fetchUserInfo(configuration, tokens.access_token, '4711')
  expect(person).toMatchObject({ sub: '4711', email: 'ada@people.example', email_verified: true, given_name: 'Ada' })
})

it('shows how its clients authenticate themselves, and that its keys or its name changed', async () => {
  const emulator = identityProviderEmulator({ now: () => Date.now(), random: randomBytes })
  const client = { clientId: 'app', secret: 'app-secret', redirectUris: [REDIRECT] }
  const get = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
    const reply = await emulator.fetch(new Request(`https://login.idp.example${path}`))
    return (await reply.json()) as Readonly<Record<string, unknown>> // compared below
  }
  const document = '/.well-known/openid-configuration'
  emulator.addClient('openid_connect', client)
  expect((await get(document))['token_endpoint_auth_methods_supported']).toHaveLength(2)
  emulator.addClient('openid_connect', { ...client, tokenAuth: 'basic' })
  expect((await get(document))['token_endpoint_auth_methods_supported']).toEqual(['client_secret_basic'])
  const inBody = new URLSearchParams({ client_id: 'app', client_secret: 'app-secret' })
  const token = new Request('https://login.idp.example/token', { method: 'POST', body: inBody })
  expect((await emulator.fetch(token)).status).toBe(401)

  const before = await get('/keys')
  emulator.fail('openid_connect', 'jwks', 'unknown_key')
  emulator.fail('openid_connect', 'discovery', 'wrong_issuer')
  expect(await get('/keys')).not.toEqual(before)
  expect((await get(document))['issuer']).toBe('https://another-issuer.example')
})
