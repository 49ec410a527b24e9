import { createHash, generateKeyPairSync } from 'node:crypto'
import { type AuthWorld, ORIGIN } from '../../testing/auth-world.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'
import type { OidcClient, OidcClientInput } from '../clients.ts'

export const CALLBACK = 'https://notes.example.com/callback'
export const PASSWORD = 'a made-up pass phrase'
const VERIFIER = 'a-made-up-verifier-that-is-long-enough-for-anybody'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** Shared by all worlds of a file, because generating a key takes longer than the tests. */
export const SIGNING_KEY = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

/** Adds a public client that uses codes and refresh tokens. */
export async function addClient(world: AuthWorld, more: OidcClientInput = {}): Promise<OidcClient> {
  const { auth } = world
  const { client } = await auth.module('oidc').clients.create(auth.kernel.database.db, {
    name: 'Notes',
    type: 'public',
    scopes: ['openid', 'profile', 'email'],
    grantTypes: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    redirectUris: [CALLBACK],
    ...more,
  })
  return client
}

/** Returns the authorization URL that a client sends users to. */
export function authorizePath(client: OidcClient, more: Readonly<Record<string, string>> = {}): string {
  const params = {
    client_id: client.id,
    redirect_uri: client.redirectUris[0] ?? '',
    response_type: 'code',
    scope: client.scopes.join(' '),
    state: 'made-up-state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...more,
  }
  return `/identity/o/authorize?${new URLSearchParams(params).toString()}`
}

const isOwnLocation = (location: string | null): location is string => location?.startsWith('/') === true

/** Follows redirects, including those by a page, to the first other page or to the redirect that leaves the site. */
export async function followRedirects(visitor: Visitor, from: Visited): Promise<Visited> {
  let at = from
  for (let step = 0; step < 10; step++) {
    const refresh = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(at.html)?.[1]
    const next = refresh?.replaceAll('&amp;', '&') ?? at.location
    if (!isOwnLocation(next)) return at
    at = await visitor.get(next)
  }
  throw new Error(`too many redirects: ${at.at}`)
}

/** Returns the parameters of a redirect to a client. */
export function readAuthorizationResponse({ location }: Visited): Readonly<Record<string, string>> {
  if (location === null) throw new Error('not a redirect')
  const url = new URL(location)
  return { at: url.href.replace(url.search, ''), ...Object.fromEntries(url.searchParams) }
}

/** Exchanges a code for tokens, as a client. */
export async function tokensFor(
  world: AuthWorld,
  client: OidcClient,
  code: string,
  origin = ORIGIN,
): Promise<Readonly<Record<string, unknown>>> {
  const redirect_uri = client.redirectUris[0] ?? ''
  const fields = { grant_type: 'authorization_code', client_id: client.id, redirect_uri, code, code_verifier: VERIFIER }
  return post(world, '/identity/o/api/token', fields, origin)
}

/** Sends a POST request as a client. */
export async function post(
  world: AuthWorld,
  path: string,
  fields: Readonly<Record<string, string>>,
  origin = ORIGIN,
): Promise<Readonly<Record<string, unknown>>> {
  const request = new Request(new URL(path, origin), { method: 'POST', body: new URLSearchParams(fields) })
  const answer: unknown = await (await world.auth.fetch(request, { remoteAddress: '192.0.2.50' })).json()
  return answer as Record<string, unknown> // these endpoints always return an object
}

/** Returns the userinfo response for an access token. */
export async function fetchUserinfo(world: AuthWorld, accessToken: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${String(accessToken)}` }
  const response = await world.auth.fetch(new Request(`${ORIGIN}/identity/o/api/userinfo`, { headers }))
  return response.status === 200 ? response.json() : response.status
}
