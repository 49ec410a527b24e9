import { startFakeServer, success, type FakeServer } from './fake-server.ts'

/** Storage for tokens. */
export const FILE = '/data/credentials.json'
/** Of somebody who has no token in their environment. */
export const env = { GATEPOST_DATA_DIR: '/data', GATEPOST_TOKEN: '' }

/** @param name What its tokens are told apart by. */
export const tokens = (name: string) => ({
  access_token: `${name}-access`,
  refresh_token: `${name}-refresh`,
  token_type: 'Bearer',
  expires_in: 3600,
  scope: 'channels:read account',
})
/** A refusal of OAuth. */
export const failure = (status: number, error: string) => ({ status, body: { error } })

/** A server that has our OpenID Connect provider. */
export async function provider(): Promise<FakeServer> {
  const server = await startFakeServer()
  const at = (path: string): string => `${server.url}/identity/o/${path}`
  server.answer(
    'GET /.well-known/openid-configuration',
    success({
      issuer: server.url,
      token_endpoint: at('api/token'),
      device_authorization_endpoint: at('api/device/code'),
      revocation_endpoint: at('api/revoke'),
    }),
  )
  server.answer(
    'POST /identity/o/api/device/code',
    success({
      device_code: 'made-up-device-code',
      user_code: 'WDJB-MJHT',
      verification_uri: at('device'),
      verification_uri_complete: `${at('device')}?code=WDJB-MJHT`,
      expires_in: 300,
      interval: 5,
    }),
  )
  server.answer(
    'GET /api/me',
    success({
      account: 'owner',
      kind: 'client',
      scopes: ['channels:read'],
      user: { email: 'ann@example.org', name: 'Ann' },
    }),
  )
  return server
}

/** What somebody has who signed in there, and elsewhere. */
export const kept = (server: FakeServer, expiresAt: number): Map<string, string> =>
  new Map([
    [
      FILE,
      JSON.stringify({
        version: 1,
        servers: {
          [server.url]: { client_id: 'gatepost-cli', ...tokens('old'), expires_at: expiresAt },
          'https://other.example.org': { client_id: 'gatepost-cli', ...tokens('other'), expires_at: 1 },
        },
      }),
    ],
  ])

/** The fields that were posted. */
export const readForm = (body: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(String(body)))
