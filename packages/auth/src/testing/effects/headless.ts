import { createHmac } from 'node:crypto'
import { readPath } from '../api-bench.ts'
import type { ApiAnswered, ApiVisitor } from '../api-visitor.ts'
import { type AuthWorld, ORIGIN } from '../auth-world.ts'
import { MANDATORY } from '../hooks/hook.ts'
import { ADA, type Effect, PASSWORD, signUp } from './effect.ts'

const ON = { headless: { enabled: true } } as const
const JWT = { headless: { enabled: true, tokenStrategy: 'jwt', jwtAlgorithm: 'HS256' } } as const
const SECRET = 'a made-up secret that is long enough for HS256'

/** Signs Ada in with an app. Returns the app and the response. */
async function signedIn(world: AuthWorld): Promise<{ readonly app: ApiVisitor; readonly answer: ApiAnswered }> {
  await world.addUser(ADA)
  const app = world.api('app')
  return { app, answer: await app.post('auth/login', { username: ADA.username, password: PASSWORD, signUp }) }
}
const tokens = async (world: AuthWorld): Promise<{ readonly app: ApiVisitor; access: string; refresh: string }> => {
  const { app, answer } = await signedIn(world)
  return {
    app,
    access: String(readPath(answer, 'meta.access_token')),
    refresh: String(readPath(answer, 'meta.refresh_token')),
  }
}
/** Decodes a part of a token. @param part 0 for the header, 1 for the claims. */
function decodeTokenPart(token: string, part: 0 | 1): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString())
  return typeof parsed === 'object' && parsed !== null ? Object.fromEntries(Object.entries(parsed)) : {}
}
const namesAt = (answer: ApiAnswered, path: string): readonly string[] =>
  Object.keys(readPath(answer, path) ?? {}).toSorted()
const jwtLifetimeSeconds = (token: string): number =>
  Number(decodeTokenPart(token, 1)['exp']) - Number(decodeTokenPart(token, 1)['iat'])
const claimEffect = (name: string, changed: Effect['changed']): Pick<Effect, 'base' | 'changed' | 'observe'> => ({
  base: JWT,
  changed,
  observe: async (world) => decodeTokenPart((await tokens(world)).access, 1)[name],
})
const fetchPageStatus = async (world: AuthWorld, path: string): Promise<number> =>
  (await world.visitor().get(path)).status

const ROUTES: readonly Effect[] = [
  {
    setting: 'headless.enabled',
    changed: ON,
    observe: (world) => fetchPageStatus(world, '/_allauth/app/v1/config'),
    without: 404,
    within: 200,
  },
  {
    setting: 'headless.only',
    base: {
      headless: {
        enabled: true,
        frontendUrls: { account_reset_password_from_key: '/reset/{key}', account_confirm_email: '/verify/{key}' },
      },
    },
    changed: { headless: { only: true } },
    observe: (world) => fetchPageStatus(world, '/accounts/login/'),
    without: 200,
    within: 404,
  },
  {
    setting: 'headless.path',
    base: ON,
    changed: { headless: { path: '/api/' } },
    observe: async (world) => [
      await fetchPageStatus(world, '/_allauth/app/v1/config'),
      await fetchPageStatus(world, '/api/app/v1/config'),
    ],
    without: [200, 404],
    within: [404, 200],
  },
  {
    setting: 'headless.clients',
    base: ON,
    changed: { headless: { clients: ['app'] } },
    observe: (world) => fetchPageStatus(world, '/_allauth/browser/v1/config'),
    without: 200,
    within: 404,
  },
  {
    setting: 'headless.frontendUrls',
    base: { ...MANDATORY, ...ON },
    changed: { headless: { frontendUrls: { account_confirm_email: 'https://app.test/verify/{key}' } } },
    async observe(world) {
      await signUp(world.visitor())
      return /https?:\/\/[^/]*\/\w+\//.exec((await world.mailTo(ADA.email)).text)?.[0]
    },
    without: `${ORIGIN}/accounts/`,
    within: 'https://app.test/verify/',
  },
  {
    setting: 'headless.serveSpecification',
    base: ON,
    changed: { headless: { serveSpecification: true } },
    observe: (world) => fetchPageStatus(world, '/_allauth/openapi.json'),
    without: 404,
    within: 200,
  },
  {
    setting: 'headless.specificationTemplateName',
    base: { headless: { enabled: true, serveSpecification: true } },
    changed: { headless: { specificationTemplateName: null } },
    observe: (world) => fetchPageStatus(world, '/_allauth/openapi.html'),
    without: 200,
    within: 404,
  },
]

const TOKENS: readonly Effect[] = [
  {
    setting: 'headless.tokenStrategy',
    base: { headless: { enabled: true, jwtAlgorithm: 'HS256' } },
    changed: JWT,
    observe: async (world) => namesAt((await signedIn(world)).answer, 'meta'),
    without: ['is_authenticated', 'session_token'],
    within: ['access_token', 'is_authenticated', 'refresh_token', 'session_token'],
  },
  {
    setting: 'headless.jwtAccessTokenExpiresIn',
    base: JWT,
    changed: { headless: { jwtAccessTokenExpiresIn: 60 } },
    observe: async (world) => jwtLifetimeSeconds((await tokens(world)).access),
    without: 300,
    within: 60,
  },
  {
    setting: 'headless.jwtRefreshTokenExpiresIn',
    base: JWT,
    changed: { headless: { jwtRefreshTokenExpiresIn: 600 } },
    observe: async (world) => jwtLifetimeSeconds((await tokens(world)).refresh),
    without: 86_400,
    within: 600,
  },
  {
    setting: 'headless.jwtAlgorithm',
    base: JWT,
    changed: { headless: { jwtAlgorithm: 'HS512' } },
    observe: async (world) => decodeTokenPart((await tokens(world)).access, 0)['alg'],
    without: 'HS256',
    within: 'HS512',
  },
  {
    setting: 'headless.jwtAudience',
    ...claimEffect('aud', { headless: { jwtAudience: 'the shop' } }),
    without: undefined,
    within: 'the shop',
  },
  {
    setting: 'headless.jwtIssuer',
    ...claimEffect('iss', { headless: { jwtIssuer: 'the desk' } }),
    without: undefined,
    within: 'the desk',
  },
  {
    setting: 'headless.jwtPrivateKey',
    base: JWT,
    changed: { headless: { jwtPrivateKey: SECRET } },
    async observe(world) {
      const [header, claims, signature] = (await tokens(world)).access.split('.')
      return signature === createHmac('sha256', SECRET).update(`${header}.${claims}`).digest('base64url')
    },
    without: false,
    within: true,
  },
  {
    setting: 'headless.jwtAuthorizationHeaderScheme',
    base: JWT,
    changed: { headless: { jwtAuthorizationHeaderScheme: 'Token' } },
    async observe(world) {
      const { access } = await tokens(world)
      const by = async (scheme: string): Promise<number> =>
        (await world.api('app').get('auth/session', { authorization: `${scheme} ${access}` })).status
      return [await by('Bearer'), await by('token')]
    },
    without: [200, 401],
    within: [401, 200],
  },
  {
    setting: 'headless.jwtRefreshTokenGracePeriod',
    base: JWT,
    changed: { headless: { jwtRefreshTokenGracePeriod: 0 } },
    async observe(world) {
      const { app, refresh } = await tokens(world)
      await app.post('tokens/refresh', { refresh_token: refresh })
      world.clock.advance(1_000)
      return (await app.post('tokens/refresh', { refresh_token: refresh })).status
    },
    without: 200,
    within: 400,
  },
  {
    setting: 'headless.jwtRotateRefreshToken',
    base: JWT,
    changed: { headless: { jwtRotateRefreshToken: false } },
    async observe(world) {
      const { app, refresh } = await tokens(world)
      return namesAt(await app.post('tokens/refresh', { refresh_token: refresh }), 'data')
    },
    without: ['access_token', 'refresh_token'],
    within: ['access_token'],
  },
  {
    setting: 'headless.jwtStatefulValidationEnabled',
    base: JWT,
    changed: { headless: { jwtStatefulValidationEnabled: true } },
    async observe(world) {
      const { app, access } = await tokens(world)
      await app.delete('auth/session')
      return (await world.api('app').get('auth/session', { authorization: `Bearer ${access}` })).status
    },
    without: 410,
    within: 401,
  },
]

/** The effects of settings of the JSON API. */
export const HEADLESS_EFFECTS: readonly Effect[] = [...ROUTES, ...TOKENS]
