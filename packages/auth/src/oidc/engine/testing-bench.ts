import { generateKeyPairSync } from 'node:crypto'
import type { testDatabases } from '@gatepost/sql/testing'
import type { AuthOptions } from '../../options.ts'
import type { AuthTables } from '../../kernel/schema/tables.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { type AuthWorld, authWorld, ORIGIN } from '../../testing/auth-world.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'
import type { User } from '../../kernel/users/user.ts'
import type { OidcClient, OidcClientInput } from '../clients.ts'

export const PASSWORD = 'a made-up pass phrase'
export const CALLBACK = 'https://client.example/callback'
export const RESOURCE = 'https://api.example/mcp'
/** The example of RFC 7636 appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** Shared by all worlds of a file, because generating a key takes longer than the tests. */
const SIGNING_KEY = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

/** An endpoint's response. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly json: Record<string, unknown>
}

type Body = ArrayBuffer | ReadableStream | string | Uint8Array | URLSearchParams | null | undefined

/** A provider, a signed-in user, and client actions. */
export interface OidcBench {
  readonly world: AuthWorld
  readonly user: User
  /** The signed-in user's browser. */
  readonly browser: Visitor
  client(input?: OidcClientInput): Promise<{ readonly client: OidcClient; readonly secret: string }>
  /** Sends a POST request as a client. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answered>
  /** Sends a request as a client. */
  call(path: string, init?: RequestInit): Promise<Response>
  /** A `fetch` for relying parties that needs no socket. */
  readonly fetch: (
    url: string,
    options: { readonly method: string; readonly headers: Record<string, string>; readonly body?: Body },
  ) => Promise<Response>
  /** Grants or denies a device as the user. */
  decide(userCode: string, isGranted: boolean): Promise<boolean>
  /** Opens the authorization endpoint, grants consent, and returns where the browser ends up. */
  authorize(
    params: Record<string, string>,
    options?: { readonly browser?: Visitor; readonly action?: string },
  ): Promise<URL>
  /** Returns a code from a complete authorization. @throws {Error} without one */
  code(client: OidcClient, params?: Record<string, string>): Promise<string>
  /** Returns tokens for a new code. */
  tokens(of: { client: OidcClient; secret: string }, params?: Record<string, string>): Promise<Answered>
  close(): Promise<void>
}

interface Options {
  readonly settings?: NonNullable<AuthSettingsInput['idpOidc']>
  readonly rest?: Pick<Partial<AuthOptions<AuthTables>>, 'adapters' | 'settings'>
  readonly open?: (typeof testDatabases)[number][1]
}

const from = { remoteAddress: '192.0.2.7' }

export async function oidcBench({ settings = {}, rest = {}, open }: Options = {}): Promise<OidcBench> {
  const world = await authWorld(buildBenchOptions(settings, rest), open)
  const { auth } = world
  const user = await world.addUser({ username: 'ada', email: 'ada@example.org', firstName: 'Ada', password: PASSWORD })
  const browser = world.visitor()
  await browser.login('ada', PASSWORD)
  const call: OidcBench['call'] = (path, init) => auth.fetch(new Request(new URL(path, ORIGIN), init), from)
  const bench: OidcBench = {
    world,
    user,
    browser,
    call,
    fetch: (url, { body = null, ...init }) => {
      const sent = body instanceof Uint8Array ? new Uint8Array(body) : body
      return auth.fetch(new Request(url, { ...init, body: sent }), from)
    },
    client: (input) => addClient(world, input),
    async post(path, fields, headers = {}) {
      const response = await call(path, { method: 'POST', body: new URLSearchParams(fields), headers })
      return readAnswer(response)
    },
    async decide(userCode, isGranted) {
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const engine = await auth.module('oidc').engine()
      const { result } = await auth.visit(new Request(ORIGIN, { headers: { cookie } }), from, (visit) =>
        engine.decideDevice(visit, userCode, user, isGranted),
      )
      return result
    },
    authorize: (params, { browser: by = browser, action = 'grant' } = {}) => authorize(by, params, action),
    async code(client, params = {}) {
      const to = await bench.authorize(authorizationRequest(client, params))
      const code = to.searchParams.get('code')
      if (code === null) throw new Error(`no code: ${to.href}`)
      return code
    },
    async tokens({ client, secret }, params = {}) {
      const code = await bench.code(client, params)
      return bench.post('/identity/o/api/token', codeGrant({ client, secret }, code))
    },
    close: () => world.close(),
  }
  return bench
}

function buildBenchOptions(settings: Options['settings'], rest: NonNullable<Options['rest']>) {
  const scopeDisplay = { 'things:read': 'Read things', admin: 'Everything' }
  return {
    adapters: { oidc: { scopeDisplay }, ...rest.adapters },
    oidc: { resources: [RESOURCE], registrationScopes: ['openid', 'things:read'] },
    settings: { ...rest.settings, idpOidc: { enabled: true, privateKey: SIGNING_KEY, ...settings } },
  }
}

async function addClient(
  { auth }: AuthWorld,
  input: OidcClientInput = {},
): Promise<{ readonly client: OidcClient; readonly secret: string }> {
  const { client, secret } = await auth.module('oidc').clients.create(auth.kernel.database.db, {
    name: 'A client',
    scopes: ['openid', 'email', 'profile', 'things:read'],
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: [CALLBACK],
    ...input,
  })
  return { client, secret: secret ?? '' }
}

/** Returns the parameters of an ordinary authorization request. */
export const authorizationRequest = (
  client: OidcClient,
  params: Record<string, string> = {},
): Record<string, string> => ({
  client_id: client.id,
  response_type: 'code',
  redirect_uri: CALLBACK,
  scope: 'openid things:read',
  state: 'a-state',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  ...params,
})

/** Returns the fields of an ordinary token request. */
export const codeGrant = (
  { client, secret }: { readonly client: OidcClient; readonly secret: string },
  code: string,
): Record<string, string> => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
  client_id: client.id,
  ...(secret !== '' && { client_secret: secret }),
})

/** Reads a response. */
export async function readAnswer(response: Response): Promise<Answered> {
  const text = await response.text()
  const json: unknown = text.startsWith('{') ? JSON.parse(text) : {}
  return { status: response.status, headers: response.headers, json: json as Record<string, unknown> } // an object
}

const MAX_STEPS = 8

async function authorize(browser: Visitor, params: Record<string, string>, action: string): Promise<URL> {
  let page = await browser.get(`/identity/o/authorize?${String(new URLSearchParams(params))}`)
  for (let step = 0; step < MAX_STEPS; step++) {
    if (page.location === null) page = await submitConsent(browser, page, action)
    else if (!page.location.startsWith('/')) return new URL(page.location)
    else page = await browser.get(page.location)
  }
  throw new Error(`the authorization doesn't finish: ${page.at}`)
}

/** Submits the consent form, or follows the page's redirect. */
async function submitConsent(browser: Visitor, page: Visited, action: string): Promise<Visited> {
  const [, next] = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(page.html) ?? []
  if (next !== undefined) return browser.get(next.replaceAll('&amp;', '&'))
  const boxes = [...page.html.matchAll(/name="(scope_[^"]+)"/g)].map(([, name = '']) => [name, 'on'] as const)
  if (boxes.length === 0) throw new Error(`${page.status} at ${page.at}: ${page.text}`)
  return browser.post(page.at, { ...Object.fromEntries(boxes), action })
}
