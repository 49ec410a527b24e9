import type { Oidc, OidcEngine } from '../oidc.ts'
import type { VisitorUrls } from '../../kernel/http/visitor-url.ts'
import type { OidcClient } from '../clients.ts'
import type { Consents } from '../consents.ts'
import type { SigningKeys } from '../signing-keys.ts'
import type { TokenRows } from '../token-rows.sql.ts'
import type { Tokens } from '../tokens.ts'
import type { KeyedLimiter } from './keyed-limiter.ts'

/** The dependencies of the protocol's endpoints. */
export interface EngineParts {
  readonly oidc: Oidc
  readonly locate: VisitorUrls
  readonly rows: TokenRows
  readonly tokens: Tokens
  readonly consents: Consents
  readonly keys: SigningKeys
  /**
   * Limits how many secrets are checked at once per IP address, so that parallel guesses can barely exceed the rate
   * limit.
   */
  readonly checkingSecrets: KeyedLimiter
  /** The resources that tokens can be requested for (RFC 8707): absolute URIs, or paths below the issuer. */
  readonly resources: readonly string[]
  /** The scopes available to clients that register dynamically. */
  readonly registrationScopes: readonly string[]
}

/** Creates the engine: `createEngine` in `engine.ts`, the only module that's imported from outside. */
export type CreateEngine = (parts: EngineParts) => OidcEngine

/** A request to an endpoint, with its body read. */
export interface Call {
  readonly raw: Request
  readonly url: URL
  readonly issuer: string
  /** The fields of a URL-encoded body. */
  readonly form: URLSearchParams
  /** The raw body. */
  readonly body: Uint8Array<ArrayBuffer>
  /** `null` if unknown. */
  readonly ip: string | null
  /** The calling client, once it's known. Scripts of its origins may read the response, even if it's an error. */
  readonly caller: { client: OidcClient | null }
}

/** The engine's kinds of artifacts. */
export const KINDS = {
  interaction: 'oidc-interaction',
  code: 'oidc-code',
  device: 'oidc-device',
  /** Marks that a user has decided about a device. */
  decision: 'oidc-decision',
  /** Marks that a device has polled. */
  poll: 'oidc-poll',
  /** Used refresh tokens. */
  used: 'oidc-used',
  registration: 'oidc-registration',
} as const

/** Parses a `scope` parameter. Returns the client's default scopes if it's missing or empty. */
export function requestedScopes(scope: string | null, client: OidcClient): readonly string[] {
  if (scope === null || scope.trim() === '') return client.defaultScopes
  return [...new Set(scope.split(' ').filter((one) => one !== ''))]
}

/** Returns whether there are any scopes and the client is allowed all of them. */
export const areAllowed = (scopes: readonly string[], client: OidcClient): boolean =>
  scopes.length > 0 && scopes.every((scope) => client.scopes.includes(scope))

/** Returns the configured resource that equals the requested one after normalization, or `null`. */
export function knownResource(resources: readonly string[], asked: string, issuer: string): string | null {
  const href = URL.parse(asked)?.href
  return resources.flatMap((own) => URL.parse(own, issuer)?.href ?? []).find((own) => own === href) ?? null
}
