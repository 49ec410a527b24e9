import type { AuthorizationServer, Client, ClientAuth, TokenEndpointResponse } from 'oauth4webapi'
import { ALPHANUMERIC, randomText } from '../../kernel/crypto/random.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import {
  resolveAuthParams,
  isLoopback,
  readAppOption,
  requireSafeAddress,
  resolveScopes,
  readTextOption,
} from '../apps/app-options.ts'
import {
  type Exchange,
  type ExchangeCall,
  type ExchangeCallback,
  type ExchangeStart,
  ProviderError,
  type ProviderIdentity,
  type ProviderTokens,
} from '../exchange.ts'
import { mapProfile } from '../profile/profile-mapping.ts'
import { clockedCache } from '../wire/clocked-cache.ts'
import { toIdTokenReplay, verifyIdToken } from '../wire/id-token.ts'
import { askProvider, expectReplyObject } from '../wire/provider-reply.ts'
import type { OidcRecord } from './record.ts'

type Library = typeof import('oauth4webapi')

/** Accepted signature algorithms, unless the provider narrows them: never `none`, and none with a shared secret. */
const SIGNATURE_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']

/** Input of the steps of one callback. */
interface CallbackSteps {
  readonly oauth: Library
  readonly call: ExchangeCall
  readonly server: Discovered
  readonly client: Client
}

interface SentByLibrary {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: RequestInit['body']
}

const PROMPTS: Readonly<Record<ExchangeStart['action'], Readonly<Record<string, string>>>> = {
  authenticate: {},
  reauthenticate: { prompt: 'login' },
  rerequest: { prompt: 'consent' },
}

/** Creates the OpenID Connect exchange. @see OpenID Connect Core 1.0, section 3.1 */
export function oidcExchange(record: OidcRecord): Exchange {
  return {
    async begin(call, start) {
      const server = await discover(call)
      const nonce = randomText(call.io.random, ALPHANUMERIC, 32)
      const verifier =
        (readAppOption(call.app, 'oauth_pkce_enabled') ?? true) === true ? createCodeVerifier(call) : null
      const scopes = new Set(['openid', ...resolveScopes(call.app, record.scopes, start)])
      const params = {
        ...resolveAuthParams(call.app, {}, start),
        ...PROMPTS[start.action],
        client_id: call.app.clientId,
        redirect_uri: call.redirectUri,
        response_type: 'code',
        scope: [...scopes].join(' '),
        state: start.state,
        nonce,
        ...(verifier === null ? {} : await buildCodeChallenge(verifier)),
      }
      const url = new URL(server.authorization_endpoint)
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
      return { url: url.href, kept: { nonce, verifier, issuer: server.issuer } }
    },
    async finish(call, callback) {
      const oauth = await import('oauth4webapi')
      const talk = { oauth, call, server: await discover(call), client: toOidcClient(oauth, call) }
      const { nonce, issuer } = callback.kept
      if (typeof nonce !== 'string' || issuer !== talk.server.issuer) {
        throw new ProviderError('unknown', 'the callback is not of the provider that was asked')
      }
      const reply = await withLibraryErrors(oauth, () => requestTokens(talk, callback, nonce))
      const idToken = await verifyIdToken(call.io, reply.id_token ?? '', buildExpectedClaims(call, talk.server, nonce))
      if (idToken['azp'] !== undefined && idToken['azp'] !== call.app.clientId) {
        throw new ProviderError('unknown', 'the id token was given to another client')
      }
      const userinfo = await withLibraryErrors(oauth, () =>
        fetchUserInfo(talk, reply.access_token, String(idToken['sub'])),
      )
      const claims = userinfo === null ? { id_token: idToken } : { userinfo, id_token: idToken }
      return { ...toOidcIdentity(record, call, claims), tokens: toOidcTokens(call, reply) }
    },
    async verifyToken(call, { idToken }) {
      if (idToken === undefined) throw new ProviderError('unknown', 'no id token was given')
      const claims = await verifyIdToken(call.io, idToken, buildExpectedClaims(call, await discover(call)))
      return { ...toOidcIdentity(record, call, { id_token: claims }), replay: toIdTokenReplay(claims), tokens: null }
    },
  }
}

/** Returns a PKCE verifier, which must have 43 to 128 characters. @see RFC 7636 section 4.1 */
const createCodeVerifier = (call: ExchangeCall): string => randomText(call.io.random, ALPHANUMERIC, 64)

async function buildCodeChallenge(verifier: string): Promise<Readonly<Record<string, string>>> {
  const oauth = await import('oauth4webapi')
  return { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' }
}

/** Returns the client, with the offset of our clock from the system clock, which the library reads. */
const toOidcClient = (oauth: Library, call: ExchangeCall): Client => ({
  client_id: call.app.clientId,
  [oauth.clockSkew]: Math.round((call.io.clock.now() - Date.now()) / 1000),
  [oauth.clockTolerance]: 30,
})

const buildFetchOptions = ({ oauth, call, server }: CallbackSteps) => ({
  [oauth.customFetch]: (url: string, { method, headers, body }: SentByLibrary) =>
    call.io.fetch(new Request(url, { method, headers, body: body ?? null })),
  // oxlint-disable-next-line typescript/no-deprecated -- providers on this machine are for development: no others may
  [oauth.allowInsecureRequests]: allowsInsecureHttp(server.token_endpoint),
})

const supportedAlgorithms = ({ id_token_signing_alg_values_supported: told }: AuthorizationServer): readonly string[] =>
  SIGNATURE_ALGORITHMS.filter((algorithm) => !Array.isArray(told) || told.includes(algorithm))

const buildExpectedClaims = (call: ExchangeCall, server: Discovered, nonce?: string) => ({
  jwksUrl: server.jwks_uri,
  issuers: [server.issuer],
  audiences: [call.app.clientId],
  algorithms: supportedAlgorithms(server),
  ...(nonce === undefined ? {} : { nonce }),
})

/**
 * Chooses the client authentication: POST unless the provider supports only Basic or the app overrides it; none
 * without a secret.
 */
function chooseClientAuth({ oauth, call, server }: CallbackSteps): ClientAuth {
  if (call.app.secret === '') return oauth.None()
  const methods: unknown = server.token_endpoint_auth_methods_supported
  const told = Array.isArray(methods) ? methods : []
  const basicAlone = told.includes('client_secret_basic') && !told.includes('client_secret_post')
  const method = readTextOption(call.app, 'token_auth_method')
  const basic = method === '' ? basicAlone : method === 'client_secret_basic'
  return basic ? oauth.ClientSecretBasic(call.app.secret) : oauth.ClientSecretPost(call.app.secret)
}

async function requestTokens(
  talk: CallbackSteps,
  { params, kept }: ExchangeCallback,
  expectedNonce: string,
): Promise<TokenEndpointResponse> {
  const { oauth, call, client } = talk
  const server = { ...talk.server, id_token_signing_alg_values_supported: [...supportedAlgorithms(talk.server)] }
  // oxlint-disable-next-line typescript/no-deprecated -- a setting turns PKCE off, for providers that refuse it
  const verifier = typeof kept['verifier'] === 'string' ? kept['verifier'] : oauth.nopkce
  const checked = oauth.validateAuthResponse(server, client, params, oauth.skipStateCheck)
  const reply = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    chooseClientAuth(talk),
    checked,
    call.redirectUri,
    verifier,
    buildFetchOptions(talk),
  )
  return oauth.processAuthorizationCodeResponse(server, client, reply, { expectedNonce, requireIdToken: true })
}

/** Fetches the user info. The library refuses a reply for another subject than the ID token's. */
async function fetchUserInfo(talk: CallbackSteps, accessToken: string, subject: string): Promise<JsonObject | null> {
  const { oauth, call, server, client } = talk
  if (readAppOption(call.app, 'fetch_userinfo') === false || server.userinfo_endpoint === undefined) return null
  const reply = await oauth.userInfoRequest(server, client, accessToken, buildFetchOptions(talk))
  return oauth.processUserInfoResponse(server, client, subject, reply)
}

/** Runs `work`. Reports only the codes of library errors, because these contain replies and claims. */
async function withLibraryErrors<T>(oauth: Library, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProviderError) throw error
    if (error instanceof oauth.AuthorizationResponseError) {
      const code = error.error === 'access_denied' ? 'cancelled' : 'unknown'
      throw new ProviderError(code, `the provider refused: ${toShortErrorCode(error.error)}`)
    }
    if (error instanceof oauth.ResponseBodyError) {
      throw new ProviderError('unknown', `status ${error.status}, error ${toShortErrorCode(error.error)}`)
    }
    const code = error instanceof Error && 'code' in error ? toShortErrorCode(error.code) : 'unreadable'
    throw new ProviderError('unknown', `the provider did not answer as it should: ${code}`)
  }
}

const toShortErrorCode = (code: unknown): string =>
  typeof code === 'string' && /^[\w.-]{1,60}$/.test(code) ? code : 'unknown'

/** Returns the identity. User info wins, but an address and whether it's verified come from the same source. */
function toOidcIdentity(
  record: OidcRecord,
  call: ExchangeCall,
  extraData: { readonly userinfo?: JsonObject; readonly id_token: JsonObject },
): ProviderIdentity {
  const { userinfo = {}, id_token: idToken } = extraData
  const { email, email_verified: verified } = typeof userinfo['email'] === 'string' ? userinfo : idToken
  const claims = { ...idToken, ...userinfo, email, email_verified: verified }
  return { ...mapProfile(claims, record.person, readTextOption(call.app, 'uid_field')), extraData, tokens: null }
}

function toOidcTokens(call: ExchangeCall, reply: TokenEndpointResponse): ProviderTokens {
  const { access_token: token, refresh_token: tokenSecret = '', expires_in: seconds } = reply
  return { token, tokenSecret, expiresAtMs: seconds === undefined ? null : call.io.clock.now() + seconds * 1000 }
}

/** A provider's metadata, checked to have these members. */
export type Discovered = AuthorizationServer & {
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly jwks_uri: string
}

const WELL_KNOWN = '/.well-known/'
const LIFE_MS = 10 * 60_000
const REQUIRED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const what = 'the request for the configuration'

const cached = clockedCache<Discovered>(200)

/**
 * Fetches the provider metadata of an app; cached for ten minutes.
 * @throws {ProviderError} `unknown`
 * @see OpenID Connect Discovery 1.0, sections 3 and 4
 */
export async function discover({ io, app }: Pick<ExchangeCall, 'io' | 'app'>): Promise<Discovered> {
  const serverUrl = requireSafeAddress(readTextOption(app, 'server_url'), 'server_url')
  const isDocument = serverUrl.includes(WELL_KNOWN)
  const address = isDocument ? serverUrl : `${stripTrailingSlash(serverUrl)}${WELL_KNOWN}openid-configuration`
  const known = cached.get(io.clock, address)
  if (known !== null) return known.value
  const document = expectReplyObject(await askProvider(io, new Request(address), what), what)
  const { issuer } = document
  if (typeof issuer !== 'string' || issuer === '') throw new ProviderError('unknown', `${what}: it names no issuer`)
  // If `server_url` is the document itself, it can be elsewhere than the issuer.
  if (!isDocument && stripTrailingSlash(issuer) !== stripTrailingSlash(serverUrl)) {
    throw new ProviderError('unknown', `${what}: it is of another issuer than server_url`)
  }
  for (const name of document['userinfo_endpoint'] === undefined ? REQUIRED : [...REQUIRED, 'userinfo_endpoint']) {
    const endpoint = requireSafeAddress(String(document[name]), name)
    // A provider elsewhere must not direct us to this machine.
    if (!allowsInsecureHttp(serverUrl) && allowsInsecureHttp(endpoint))
      throw new ProviderError('unknown', `${name} is on this machine`)
  }
  // Members checked above; the others are checked where they're used.
  const found = { ...document, issuer } as unknown as Discovered
  cached.set(io.clock, address, found, LIFE_MS)
  return found
}

const stripTrailingSlash = (address: string): string => address.replace(/\/+$/, '')

/** Returns whether http is allowed, which is only for a provider on this machine. */
export const allowsInsecureHttp = (address: string): boolean => isLoopback(new URL(address).hostname)
