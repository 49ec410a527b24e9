import type { JsonObject } from '../kernel/settings/json-object.ts'
import type { NewUser, User, UserId } from '../kernel/users/user.ts'
import type { ExchangeAction, ProviderEmail, ProviderTokens } from './exchange.ts'
import type { SamlSubject } from './saml/subject.ts'
import type { SocialApp } from './apps/social-apps.ts'

/** A link between a user and an identity at a provider. */
export interface SocialAccount {
  /** `null`: not stored yet. */
  readonly id: number | null
  readonly userId: UserId | null
  /** Sub-provider id if there is one, else the provider id. */
  readonly provider: string
  readonly uid: string
  /** Milliseconds since the Unix epoch. */
  readonly lastLoginMs: number
  readonly dateJoinedMs: number
  /** Profile of the provider: untrusted. */
  readonly extraData: JsonObject
}

/** `login` signs in or up, `connect` links to who is signed in, `redirect` only goes on to `next`. */
export type SocialProcess = 'login' | 'connect' | 'redirect'

/** What the visitor's session keeps of a handshake, by its state id; JSON. */
export interface SocialState {
  readonly process: SocialProcess
  readonly next: string | null
  readonly action: ExchangeAction
  /** The JSON API began it: where its answer goes. */
  readonly headless: { readonly callbackUrl: string } | null
  /** Own values of a host. */
  readonly data: JsonObject
}

/** Somebody who came back from a provider; what hooks and signals see. */
export interface SocialLogin {
  readonly app: SocialApp
  account: SocialAccount
  /** Whom it signs in: a stored user, or what a new one would begin with. Hooks may change or set it. */
  user: User | NewUser
  /** The stored user, once there is one: by the link, by an address, or set by a hook (`connect`). */
  existingUser: User | null
  /** Addresses that the provider told: cleaned, lower case, primary and verified ones first. */
  readonly emailAddresses: readonly ProviderEmail[]
  readonly phone: { readonly phone: string; readonly verified: boolean } | null
  readonly tokens: ProviderTokens | null
  readonly state: SocialState
  /** The address by which the user was found, if it was so. */
  authenticatedByEmail: string | null
  /** SAML: what the organisation calls this sign-in. */
  readonly samlSubject?: SamlSubject | null
}
