import type { Oidc } from '../oidc.ts'
import type { VisitorUrls } from '../../kernel/http/visitor-url.ts'
import type { OidcClient } from '../clients.ts'
import type { Consents } from '../consents.ts'
import type { SigningKeys } from '../signing-keys.ts'
import type { TokenRows } from '../token-rows.sql.ts'
import type { Tokens } from '../tokens.ts'
import type { KeyedLimiter } from './few-at-once.ts'

/** What the endpoints of the protocol are made from. */
export interface EngineParts {
  readonly oidc: Oidc
  readonly locate: VisitorUrls
  readonly rows: TokenRows
  readonly tokens: Tokens
  readonly consents: Consents
  readonly keys: SigningKeys
  /** Per IP address: secret guesses run one after the other, so each sees the count of the previous ones. */
  readonly checkingSecrets: KeyedLimiter
  /** What tokens may be for (RFC 8707): absolute URIs, or paths below the issuer. */
  readonly resources: readonly string[]
  /** Scopes that clients may have which register themselves. */
  readonly registrationScopes: readonly string[]
}

/** One call of an endpoint, its body read. */
export interface Call {
  readonly raw: Request
  readonly url: URL
  readonly issuer: string
  /** Fields of an urlencoded body. */
  readonly form: URLSearchParams
  /** As it came. */
  readonly body: Uint8Array<ArrayBuffer>
  /** `null`: not known. */
  readonly ip: string | null
  /** The client that calls, once it is known: scripts of its origins may read the answer, a refusal too. */
  readonly met: { client: OidcClient | null }
}

/** Kinds of what the engine keeps for a while. */
export const KINDS = {
  interaction: 'oidc-interaction',
  code: 'oidc-code',
  device: 'oidc-device',
  /** That a person decided about a device. */
  decision: 'oidc-decision',
  poll: 'oidc-poll',
  /** Refresh tokens that were used. */
  used: 'oidc-used',
  registration: 'oidc-registration',
} as const

/** Scopes of a parameter; absent: those that the client has by default. */
export function requestedScopes(scope: string | null, client: OidcClient): readonly string[] {
  if (scope === null || scope.trim() === '') return client.defaultScopes
  return [...new Set(scope.split(' ').filter((one) => one !== ''))]
}

/** Whether a client may have these, and there are any. */
export const areAllowed = (scopes: readonly string[], client: OidcClient): boolean =>
  scopes.length > 0 && scopes.every((scope) => client.scopes.includes(scope))

/** The configured resource that is meant, or `null`: addresses of one meaning are one. */
export function knownResource(resources: readonly string[], asked: string, issuer: string): string | null {
  const href = URL.parse(asked)?.href
  return resources.flatMap((own) => URL.parse(own, issuer)?.href ?? []).find((own) => own === href) ?? null
}
