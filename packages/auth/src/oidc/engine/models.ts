import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { sameInConstantTime } from '../../kernel/crypto/constant-time.ts'
import type { OidcClient } from '../clients.ts'
import { isRegisteredUri } from '../redirect-uri.ts'
import { signedJwt } from '../signed-jwt.ts'
import { OWN_CLIENT } from './client-metadata.ts'
import type { Library } from './library.ts'
import type { EngineParts } from './parts.ts'
import { currentVisit, userKey } from './visit.ts'

const JTI_BYTES = 16

/** The client of a call as we know it. @throws {Error} for one that the library got from elsewhere: a fault of ours */
export function ownClient(client: unknown): OidcClient {
  const own: unknown = typeof client === 'object' && client !== null ? Reflect.get(client, OWN_CLIENT) : undefined
  if (own === undefined) throw new Error('the protocol library has a client that is none of ours')
  return own as OidcClient // put there by `metadataOf`
}

/** What an id token of the library has while it is made. */
interface IdTokenModel {
  readonly available: Readonly<Record<string, unknown>>
  readonly extra: Readonly<Record<string, unknown>>
  readonly scope?: string
  readonly client: unknown
  readonly ctx?: KoaContextWithOIDC
}

/** What an access token of the library has while it is made. */
interface AccessTokenModel {
  readonly jti: string
  readonly client: unknown
}

type ValueAndPayload = { readonly value: string; readonly payload: Readonly<Record<string, unknown>> }

/**
 * Gives the models of a provider our rules: which addresses are registered, which secret is right, which claims a token
 * has. Replacing methods of its models is what the documentation of the library proposes for these.
 */
export function adjustModels(parts: EngineParts, { errors }: Library, provider: Provider): void {
  replace(provider.Client, {
    redirectUriAllowed(this: unknown, uri: string): boolean {
      const client = ownClient(this)
      return isRegisteredUri(uri, client.redirectUris, client)
    },
    compareClientSecret(this: unknown, secret: string): boolean {
      const { verified } = currentVisit()
      return verified !== null && verified.id === ownClient(this).id && sameInConstantTime(verified.secret, secret)
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
        const made = await (usual as (this: unknown) => Promise<ValueAndPayload>).call(this) // as every model of it has
        const value = await signedAccessToken(parts, provider.issuer, this, made.payload)
        currentVisit().signed.set(this.jti, value)
        return { ...made, value }
      },
    })
  }
}

const replace = (model: { readonly prototype: object }, methods: object): void =>
  void Object.assign(model.prototype, methods)

/** All that the person allowed, as the userinfo endpoint tells it. @see OpenID Connect Core 1.0 section 2 */
async function idTokenClaims({ oidc }: EngineParts, token: IdTokenModel): Promise<Record<string, unknown>> {
  const { available, extra, scope = '', client, ctx } = token
  const accessToken = ctx?.oidc.entities.AccessToken?.jti
  const claims: Record<string, unknown> = {
    ...available,
    // The library hashes it.
    ...(accessToken !== undefined && { at_hash: currentVisit().signed.get(accessToken) ?? accessToken }),
    ...extra,
    jti: newJti(oidc),
  }
  for (const [name, value] of Object.entries(claims)) if (value === undefined) delete claims[name]
  await oidc.adapter.populateIdToken(claims, ownClient(client), scope.split(' '))
  return claims
}

const newJti = ({ kernel: { random } }: EngineParts['oidc']): string => Buffer.from(random(JTI_BYTES)).toString('hex')

/** @see RFC 9068 */
async function signedAccessToken(
  { oidc }: EngineParts,
  issuer: string,
  { jti, client: model }: AccessTokenModel,
  payload: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { ring, users } = currentVisit()
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
  return signedJwt(ring, claims, 'at+jwt')
}
