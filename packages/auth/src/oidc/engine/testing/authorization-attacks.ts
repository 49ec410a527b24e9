import { ORIGIN } from '../../../testing/auth-world.ts'
import { CALLBACK, PASSWORD, authorizationRequest } from '../testing-bench.ts'
import { requestAuthorization, type At, refusedPage, type Row, toClient } from './attack.ts'

/** Attacks on redirects (RFC 9700 sections 4.1 and 4.11). */
export const REDIRECTS: readonly Row[] = [
  [
    'an unknown client leads nowhere',
    (at) => requestAuthorization(at, { ...authorizationRequest(at.own.client), client_id: 'none' }),
    refusedPage,
  ],
  [
    'no redirect URI leads nowhere',
    (at) => requestAuthorization(at, authorizationRequest(at.own.client, { redirect_uri: '' })),
    refusedPage,
  ],
  ...[
    'https://evil.example/',
    `${CALLBACK}/../x`,
    `${CALLBACK}#x`,
    'https://client.example:99/callback',
    '//evil.example',
  ].map(
    (uri): Row => [
      `the unregistered ${uri} leads nowhere`,
      (at) => requestAuthorization(at, authorizationRequest(at.own.client, { redirect_uri: uri })),
      refusedPage,
    ],
  ),
  [
    'two redirect URIs lead nowhere',
    (at) =>
      requestAuthorization(
        at,
        `${String(new URLSearchParams(authorizationRequest(at.own.client)))}&redirect_uri=https://evil.example/`,
      ),
    refusedPage,
  ],
  [
    'a bad request with an unregistered redirect URI leads nowhere (open redirector)',
    (at) =>
      requestAuthorization(
        at,
        authorizationRequest(at.own.client, { redirect_uri: 'https://evil.example/', scope: 'unknown' }),
      ),
    refusedPage,
  ],
]

/** Attacks with authorization requests. */
export const REQUESTS: readonly Row[] = [
  [
    'PKCE is missing',
    (at) =>
      requestAuthorization(at, authorizationRequest(at.open.client, { code_challenge: '', code_challenge_method: '' })),
    toClient('invalid_request'),
  ],
  [
    'PKCE is plain',
    (at) => requestAuthorization(at, authorizationRequest(at.own.client, { code_challenge_method: 'plain' })),
    toClient('invalid_request'),
  ],
  [
    'PKCE without a method',
    (at) => requestAuthorization(at, authorizationRequest(at.own.client, { code_challenge_method: '' })),
    toClient('invalid_request'),
  ],
  [
    'a scope that the client is not allowed',
    (at) => requestAuthorization(at, authorizationRequest(at.own.client, { scope: 'openid admin' })),
    toClient('invalid_scope'),
  ],
  [
    'an unknown scope',
    (at) => requestAuthorization(at, authorizationRequest(at.own.client, { scope: 'openid unknown' })),
    toClient('invalid_scope'),
  ],
  [
    'an unknown resource',
    (at) => requestAuthorization(at, authorizationRequest(at.own.client, { resource: 'https://evil.example/' })),
    toClient('invalid_target'),
  ],
  [
    'a request object',
    (at) => requestAuthorization(at, authorizationRequest(at.own.client, { request: 'e30.e30.' })),
    toClient('request_not_supported'),
  ],
  [
    'a response type that the client is not allowed',
    async (at) => {
      const [, , error] = (await fragment(
        at,
        authorizationRequest(at.own.client, { response_type: 'id_token', nonce: 'n' }),
      )) as unknown[]
      return error
    },
    'unauthorized_client',
  ],
  [
    'implicit access tokens without an id token',
    (at) => fragment(at, authorizationRequest(at.own.client, { response_type: 'code token' })),
    [303, 'https://client.example', 'unsupported_response_type'],
  ],
  [
    'prompt=none without a consent',
    (at) => requestAuthorization(at, authorizationRequest(at.other.client, { prompt: 'none' })),
    toClient('consent_required'),
  ],
  [
    'prompt=none with a consent for another client only',
    async (at) => {
      await at.bench.code(at.own.client)
      return requestAuthorization(at, authorizationRequest(at.other.client, { prompt: 'none' }))
    },
    toClient('consent_required'),
  ],
  [
    'prompt=none while signed out',
    (at) =>
      requestAuthorization(
        { ...at, bench: { ...at.bench, browser: at.bench.world.visitor() } },
        authorizationRequest(at.own.client, { prompt: 'none' }),
      ),
    toClient('login_required'),
  ],
  [
    'a refusal goes to the client, with the issuer (mix-up)',
    async (at) => {
      const to = await at.bench.authorize(authorizationRequest(at.other.client), { action: 'cancel' })
      return ['error', 'state', 'iss'].map((name) => to.searchParams.get(name))
    },
    ['access_denied', 'a-state', ORIGIN],
  ],
  [
    'a code comes with the issuer and the state (mix-up)',
    async (at) => {
      const to = await at.bench.authorize(authorizationRequest(at.own.client))
      return ['state', 'iss'].map((name) => to.searchParams.get(name))
    },
    ['a-state', ORIGIN],
  ],
  [
    "another site's form is redirected to GET, because it sends no cookies",
    async ({ bench, own }) => {
      const response = await bench.call('/identity/o/authorize', {
        method: 'POST',
        body: new URLSearchParams(authorizationRequest(own.client)),
      })
      return [
        response.status,
        new URL(response.headers.get('location') ?? '', ORIGIN).searchParams.get('client_id') === own.client.id,
      ]
    },
    [303, true],
  ],
]

async function fragment({ bench }: At, params: Record<string, string>): Promise<unknown> {
  const { status, location } = await bench.browser.get(`/identity/o/authorize?${String(new URLSearchParams(params))}`)
  const to = new URL(location ?? '')
  return [status, to.origin, new URLSearchParams(to.hash.slice(1)).get('error')]
}

/** Attacks with several browsers. */
export const BROWSERS: readonly Row[] = [
  [
    'an authorization that another browser started (fixation)',
    async ({ bench, own }) => {
      const stranger = bench.world.visitor()
      const begun = await stranger.get(
        `/identity/o/authorize?${String(new URLSearchParams(authorizationRequest(own.client)))}`,
      )
      const uid = begun.location?.split('/').at(-2) ?? ''
      const page = await bench.browser.get(begun.location ?? '')
      return [uid.length > 20, page.status, (await bench.browser.get(`/identity/o/authorize/${uid}`)).status]
    },
    [true, 400, 400],
  ],
  [
    'the user signs out before the authorization continues',
    async ({ bench, other }) => {
      const browser = bench.world.visitor()
      await browser.login('ada', PASSWORD)
      const begun = await browser.get(
        `/identity/o/authorize?${String(new URLSearchParams(authorizationRequest(other.client)))}`,
      )
      const sent = await browser.post(begun.location ?? '', { scope_openid: 'on', action: 'grant' })
      await browser.post('/accounts/logout/')
      return (await browser.get(sent.location ?? '')).location?.startsWith('/identity/o/interaction/')
    },
    true,
  ],
]
