import type Provider from 'oidc-provider'
import type { Account, Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { equalsConstantTime } from '../../kernel/crypto/crypto.ts'
import type { OidcClient } from '../clients.ts'
import { hasUserinfo } from '../paths.ts'
import { isRegisteredUri } from '../redirect-uri.ts'
import { signJwt, type KeyRing } from '../signing-keys.ts'
import { OWN_CLIENT } from './client-authentication.ts'
import { storeGrant } from './grants.ts'
import { INTERACTION_COOKIE } from './interactions.ts'
import { currentLibraryCall, userKey, type Library } from './bridge.ts'
import { areAllowed, type EngineParts, knownResource, requestedScopes } from './parts.ts'
import { isSelfRegistered } from './registration.ts'
import { ACR_VALUES } from './session.ts'
import { libraryStorage } from './storage.ts'

/** The cookies that the library reads and writes. */
export const COOKIES = {
  session: 'gatepost_oidc_session',
  interaction: INTERACTION_COOKIE,
  resume: 'gatepost_oidc_resume',
} as const

const INTERACTION_SECONDS = 3_600
/** The cookies aren't signed, since they contain only an unguessable ID. */
const COOKIE = { httpOnly: true, sameSite: 'lax', signed: false } as const

/** The parameters of a provider. */
interface ProviderOf {
  readonly issuer: string
  readonly ring: KeyRing
  /** The scopes that clients can request. */
  readonly scopes: ReadonlySet<string>
}

/**
 * Configures the protocol library for an issuer. It handles only authorizations and tokens; all other endpoints are our
 * own.
 */
export function createProvider(parts: EngineParts, library: Library, of: ProviderOf): Provider {
  const { log } = parts.oidc.kernel
  const provider = new library.Provider(of.issuer, configuration(parts, library, of))
  provider.onerror = (error: unknown) => log.error('The OpenID Connect provider failed', { error })
  provider.on('server_error', (_ctx: unknown, error: unknown) =>
    log.error('The OpenID Connect provider failed', { error }),
  )
  adjustModels(parts, library, provider)
  return provider
}

function configuration(parts: EngineParts, library: Library, { ring, scopes }: ProviderOf): Configuration {
  const { errors } = library
  const { paths } = parts.oidc
  return {
    ...lifetimeConfiguration(parts),
    adapter: libraryStorage(parts, { invalidGrant: (text) => new errors.InvalidGrant(text) }),
    jwks: { keys: ring.flatMap(({ kid, privateKey }) => (privateKey === null ? [] : [privateJwk(kid, privateKey)])) },
    scopes: [...scopes],
    responseTypes: ['code', 'id_token', 'id_token token'],
    acrValues: [...ACR_VALUES],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    extraClientMetadata: { properties: ['gatepost'] },
    allowOmittingSingleRegisteredRedirectUri: false,
    conformIdTokenClaims: false,
    cookies: { names: COOKIES, long: COOKIE, short: COOKIE },
    routes: {
      authorization: paths.authorize,
      token: paths.token,
      jwks: paths.jwks,
      code_verification: paths.device,
      device_authorization: paths.deviceCode,
    },
    features: features(parts, library),
    pkce: { required: (_ctx, client) => ownClient(client).type === 'public' },
    extraParams: {
      scope(_ctx, given, client) {
        const own = ownClient(client)
        if (areAllowed(requestedScopes(currentLibraryCall().scope, own), own)) return
        throw new errors.InvalidScope('requested scope is not allowed', given ?? '')
      },
    },
    findAccount: (ctx, sub) => findOidcAccount(parts, library, ctx, sub),
    loadExistingGrant: (ctx) => findConsentedGrant(parts, ctx),
    interactions: {
      policy: library.basePolicy(),
      url: (_ctx, interaction) => `${paths.interaction}${interaction.uid}/`,
    },
    renderError(ctx, out, error) {
      const isFault = !('expose' in error) || error.expose !== true
      currentLibraryCall().refusal = { code: String(out.error), status: isFault ? 500 : 400 }
      ctx.body = out
    },
  }
}

const privateJwk = (kid: string, key: KeyRing[0]['privateKey']) => ({
  ...key.export({ format: 'jwk' }),
  kty: 'RSA',
  kid,
  use: 'sig',
  alg: 'RS256',
})

/**
 * The lifetimes, and the rules for refresh tokens. The library has no sessions of its own, so nothing expires with
 * them.
 */
function lifetimeConfiguration({ oidc }: EngineParts): Configuration {
  const { idpOidc } = oidc.kernel.settings
  return {
    ttl: {
      AccessToken: idpOidc.accessTokenExpiresIn,
      ClientCredentials: idpOidc.accessTokenExpiresIn,
      AuthorizationCode: idpOidc.authorizationCodeExpiresIn,
      DeviceCode: idpOidc.deviceCodeExpiresIn,
      IdToken: idpOidc.idTokenExpiresIn,
      RefreshToken: idpOidc.refreshTokenExpiresIn,
      Interaction: INTERACTION_SECONDS,
      Session: INTERACTION_SECONDS,
      Grant: INTERACTION_SECONDS,
    },
    expiresWithSession: () => Promise.resolve(false),
    issueRefreshToken: (_ctx, client) => Promise.resolve(ownClient(client).grantTypes.includes('refresh_token')),
    rotateRefreshToken: idpOidc.rotateRefreshToken,
  }
}

function features({ oidc, resources }: EngineParts, { errors }: Library): NonNullable<Configuration['features']> {
  const off = { enabled: false }
  return {
    devInteractions: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    rpInitiatedLogout: off,
    introspection: off,
    revocation: off,
    registration: off,
    userinfo: { enabled: hasUserinfo(oidc.kernel.settings) },
    clientCredentials: { enabled: true },
    deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****' },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => Promise.resolve(true),
      getResourceServerInfo(ctx, asked, client) {
        const audience = knownResource(resources, asked, ctx.oidc.issuer)
        if (audience === null) throw new errors.InvalidTarget()
        const scope = ownClient(client).scopes.filter((one) => one !== 'openid')
        return Promise.resolve({ scope: scope.join(' '), audience, accessTokenFormat: 'opaque' })
      },
    },
  }
}

/** Finds an active user, whose claims come from the hooks and include the email address chosen for this client. */
async function findOidcAccount(
  { oidc, consents }: EngineParts,
  { errors }: Library,
  ctx: KoaContextWithOIDC,
  sub: string,
): Promise<Account | undefined> {
  const client = ownClient(ctx.oidc.client)
  const user = await oidc.adapter.getUserBySub(client, sub)
  if (user === null || !user.isActive) {
    if (currentLibraryCall().who !== null) throw new errors.AccessDenied('the user is not known to this client')
    return undefined
  }
  currentLibraryCall().users.set(userKey(client.id, sub), user)
  return {
    accountId: sub,
    async claims(_use, scope) {
      const email = (await consents.find(oidc.kernel.database.db, client.id, user.id))?.email ?? null
      const scopes = scope.split(' ')
      const claims = await oidc.adapter.getClaims('id_token', user, client, scopes, ...(email === null ? [] : [email]))
      return { ...claims, sub }
    },
  }
}

/** Creates a grant from the consent, stored before or just given; `undefined` if the user must be asked. */
async function findConsentedGrant(parts: EngineParts, ctx: KoaContextWithOIDC) {
  const { oidc, consents } = parts
  const request = ctx.oidc
  const client = ownClient(request.client)
  const user = currentLibraryCall().users.get(userKey(client.id, request.account?.accountId ?? ''))
  if (user === undefined || request.promptPending('login')) return undefined
  const asked = [...request.requestParamScopes]
  const chosen: unknown = request.result?.consent?.['scopes']
  const { db } = oidc.kernel.database
  const isSilent = client.skipConsent || !lacksAssurance(client, request.params?.['redirect_uri'])
  const before = client.skipConsent ? asked : ((await consents.find(db, client.id, user.id))?.scopes ?? [])
  const allowed = Array.isArray(chosen) ? chosen : before
  const scopes = asked.filter((scope) => allowed.includes(scope))
  const rejected = asked.filter((scope) => !scopes.includes(scope))
  if (!Array.isArray(chosen) && (!isSilent || rejected.length > 0 || request.promptPending('consent'))) return undefined
  const resources = Object.keys(request.resourceServers ?? {})
  return request.provider.Grant.find(await storeGrant(parts, db, { client, user, scopes, rejected, resources }))
}

/**
 * Returns whether a client can't be recognized reliably: any program can listen on a loopback address or claim a
 * scheme, and self-registered clients may mix redirect URIs of several owners. The user is then asked each time.
 * @see RFC 8252 section 8.6
 */
const lacksAssurance = (client: OidcClient, redirectUri: unknown): boolean =>
  isSelfRegistered(client) || (client.type === 'public' && !String(redirectUri).startsWith('https://'))

const JTI_BYTES = 16

/** Returns the `OidcClient` of a library client. @throws {Error} if there is none, which is a bug */
function ownClient(client: unknown): OidcClient {
  const own: unknown = typeof client === 'object' && client !== null ? Reflect.get(client, OWN_CLIENT) : undefined
  if (own === undefined) throw new Error("the protocol library's client has no OidcClient")
  return own as OidcClient // set by `toClientMetadata`
}

/** The library's ID token while it's being issued. */
interface IdTokenModel {
  readonly available: Readonly<Record<string, unknown>>
  readonly extra: Readonly<Record<string, unknown>>
  readonly scope?: string
  readonly client: unknown
  readonly ctx?: KoaContextWithOIDC
}

/** The library's access token while it's being issued. */
interface AccessTokenModel {
  readonly jti: string
  readonly client: unknown
}

type ValueAndPayload = { readonly value: string; readonly payload: Readonly<Record<string, unknown>> }

/**
 * Replaces methods of the library's models with our rules for redirect URIs, client secrets, response types, and
 * claims. The library's documentation recommends this.
 */
function adjustModels(parts: EngineParts, { errors }: Library, provider: Provider): void {
  replace(provider.Client, {
    redirectUriAllowed(this: unknown, uri: string): boolean {
      const client = ownClient(this)
      return isRegisteredUri(uri, client.redirectUris, client)
    },
    compareClientSecret(this: unknown, secret: string): boolean {
      const { verified } = currentLibraryCall()
      return verified !== null && verified.id === ownClient(this).id && equalsConstantTime(verified.secret, secret)
    },
    responseTypeAllowed(this: unknown, type: string): boolean {
      if (ownClient(this).responseTypes.some((own) => own === type)) return true
      throw new errors.UnauthorizedClient('requested response_type is not allowed for this client')
    },
  })
  replace(provider.IdToken, {
    payload(this: IdTokenModel) {
      return idTokenClaims(parts, this)
    },
  })
  if (parts.oidc.kernel.settings.idpOidc.accessTokenFormat !== 'jwt') return
  for (const model of [provider.AccessToken, provider.ClientCredentials]) {
    const usual: unknown = Reflect.get(model.prototype, 'getValueAndPayload')
    replace(model, {
      async getValueAndPayload(this: AccessTokenModel): Promise<ValueAndPayload> {
        const made = await (usual as (this: unknown) => Promise<ValueAndPayload>).call(this) // every model has this method
        const value = await signJwtAccessToken(parts, provider.issuer, this, made.payload)
        currentLibraryCall().signed.set(this.jti, value)
        return { ...made, value }
      },
    })
  }
}

const replace = (model: { readonly prototype: object }, methods: object): void =>
  void Object.assign(model.prototype, methods)

/**
 * Returns the claims of an ID token: the same as the userinfo endpoint's, plus those of the token.
 * @see OpenID Connect Core 1.0 section 2
 */
async function idTokenClaims({ oidc }: EngineParts, token: IdTokenModel): Promise<Record<string, unknown>> {
  const { available, extra, scope = '', client, ctx } = token
  const accessToken = ctx?.oidc.entities.AccessToken?.jti
  const claims: Record<string, unknown> = {
    ...available,
    // The library replaces it with its hash.
    ...(accessToken !== undefined && { at_hash: currentLibraryCall().signed.get(accessToken) ?? accessToken }),
    ...extra,
    jti: createJti(oidc),
  }
  for (const [name, value] of Object.entries(claims)) if (value === undefined) delete claims[name]
  await oidc.adapter.populateIdToken(claims, ownClient(client), scope.split(' '))
  return claims
}

const createJti = ({ kernel: { random } }: EngineParts['oidc']): string =>
  Buffer.from(random(JTI_BYTES)).toString('hex')

/** Returns an access token as a signed JWT. @see RFC 9068 */
async function signJwtAccessToken(
  { oidc }: EngineParts,
  issuer: string,
  { jti, client: model }: AccessTokenModel,
  payload: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { ring, users } = currentLibraryCall()
  const client = ownClient(model)
  const { accountId, aud, exp, iat, scope } = payload
  const sub = typeof accountId === 'string' ? accountId : null
  const claims: Record<string, unknown> = {
    client_id: client.id,
    iss: issuer,
    aud: aud ?? issuer,
    iat,
    exp,
    jti,
    token_use: 'access',
    ...(sub !== null && { sub }),
    ...(typeof scope === 'string' && scope !== '' && { scope }),
  }
  const user = sub === null ? null : (users.get(userKey(client.id, sub)) ?? null)
  const scopes = typeof scope === 'string' ? scope.split(' ') : []
  await oidc.adapter.populateAccessToken(claims, { client, scopes, user })
  return signJwt(ring, claims, 'at+jwt')
}
