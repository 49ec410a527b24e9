import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { Authenticator } from './mfa.ts'

type With<T> = T & { readonly request: Visit | null }
type OfAuthenticator = With<{ readonly user: User; readonly authenticator: Authenticator }>

/** Second factor signals and their payloads, without the sender (6.1 of the reference). */
export interface MfaSignals {
  /** Also for recovery codes that come by themselves with the first factor. */
  authenticator_added: OfAuthenticator
  /** The same as `authenticator_added`, in the words of the contract; its sender is the user class. */
  authenticator_created: OfAuthenticator
  authenticator_removed: OfAuthenticator
  /** Recovery codes were replaced. */
  authenticator_reset: OfAuthenticator
  authenticator_used: With<{
    readonly user: User
    readonly authenticator: Authenticator
    readonly reauthenticated: boolean
    readonly passwordless: boolean
  }>
  /** A wrong code or credential; `authenticator` is the main one of the user, TOTP before others. */
  authentication_failed: With<{
    readonly user: User
    readonly authenticator: Authenticator
    readonly reauthentication: boolean
  }>
  /** The first authenticator besides recovery codes was added. */
  mfa_enabled: OfAuthenticator
  /** The last one was removed. */
  mfa_disabled: OfAuthenticator
}
