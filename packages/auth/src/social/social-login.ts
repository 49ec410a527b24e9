import type { JsonObject } from '../kernel/settings/json-object.ts'
import type { NewUser, User, UserId } from '../kernel/users/user.ts'
import type { ExchangeAction, ProviderEmail, ProviderTokens } from './exchange.ts'
import type { SamlSubject } from './saml/subject.ts'
import type { SocialApp } from './apps/social-apps.ts'

/** A link between a user and an identity at a provider. */
export interface SocialAccount {
  /** `null` if not stored yet. */
  readonly id: number | null
  readonly userId: UserId | null
  /** Sub-provider ID if there is one, otherwise the provider ID. */
  readonly provider: string
  readonly uid: string
  /** Milliseconds since the Unix epoch. */
  readonly lastLoginMs: number
  readonly dateJoinedMs: number
  /** Profile from the provider; untrusted. */
  readonly extraData: JsonObject
}

/** `login` signs in or up, `connect` links to the signed-in user, `redirect` only redirects to `next`. */
export type SocialProcess = 'login' | 'connect' | 'redirect'

/** The state of a handshake, kept in the visitor's session by state ID; JSON. */
export interface SocialState {
  readonly process: SocialProcess
  readonly next: string | null
  readonly action: ExchangeAction
  /** Where to return if the JSON API started it. */
  readonly headless: { readonly callbackUrl: string } | null
  /** Data of the host. */
  readonly data: JsonObject
}

/** A login of a visitor who returned from a provider, as passed to hooks and signals. */
export interface SocialLogin {
  readonly app: SocialApp
  account: SocialAccount
  /** The user to sign in: a stored user, or the initial values of a new one. Hooks can change or set it. */
  user: User | NewUser
  /** The stored user, if any: found by link or email address, or set by a hook (`connect`). */
  existingUser: User | null
  /** Addresses from the provider: cleaned, in lower case, primary and verified ones first. */
  readonly emailAddresses: readonly ProviderEmail[]
  readonly phone: { readonly phone: string; readonly verified: boolean } | null
  readonly tokens: ProviderTokens | null
  readonly state: SocialState
  /** The address that the user was found by, if any. */
  authenticatedByEmail: string | null
  /** SAML: the session at the organization. */
  readonly samlSubject?: SamlSubject | null
}
