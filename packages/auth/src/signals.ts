import type { EmailAddress } from './account/email-address.ts'
import type { OidcClient } from './oidc/clients.ts'
import type { Visit } from './kernel/visit.ts'
import type { Authenticator } from './mfa/mfa.ts'
import type { SocialAccount, SocialLogin } from './social/social-login.ts'
import type { User } from './kernel/users/user.ts'
import type { UserSession } from './sessions/user-session.ts'

/** Stand for the classes that send. */
export type SignalSender =
  | 'User'
  | 'EmailAddress'
  | 'EmailConfirmation'
  | 'CodeProcess'
  | 'Authenticator'
  | 'UserSession'
  | 'SocialLogin'
  | 'SocialAccount'
  | 'OidcClient'
  | (string & {})

type With<T> = T & { readonly request: Visit | null }
type OfUser = With<{ readonly user: User }>
type OfAuthenticator = With<{ readonly user: User; readonly authenticator: Authenticator }>

/** The signals and what each carries besides its sender (6.1 of the reference). Modules add theirs. */
export interface AuthSignals {
  user_signed_up: With<{ readonly user: User; readonly sociallogin?: SocialLogin }>
  user_logged_in: With<{
    readonly user: User
    readonly response: { readonly redirectTo: string }
    readonly sociallogin?: SocialLogin
  }>
  user_logged_out: OfUser
  authentication_step_completed: With<{ readonly user: User; readonly method: string; readonly [key: string]: unknown }>
  password_set: OfUser
  password_changed: OfUser
  password_reset: OfUser
  email_confirmed: With<{ readonly email_address: EmailAddress; readonly user: User }>
  email_confirmation_sent: With<{
    readonly confirmation: { readonly email: string; readonly key: string | null }
    readonly signup: boolean
  }>
  email_changed: With<{
    readonly user: User
    readonly from_email_address: EmailAddress | null
    readonly to_email_address: EmailAddress
  }>
  email_added: With<{ readonly user: User; readonly email_address: EmailAddress }>
  email_removed: With<{ readonly user: User; readonly email_address: EmailAddress }>
  login_code_rejected: With<{ readonly user: User; readonly last_attempt: boolean }>
  password_reset_code_rejected: With<{ readonly user: User; readonly last_attempt: boolean }>
  email_verification_code_rejected: With<{ readonly user: User; readonly last_attempt: boolean }>
  /** Before an address is added: throw `InvalidInput` to refuse (a second factor does). */
  _add_email: With<{ readonly user: User; readonly email: string }>
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
  /** The identity at the provider is known, nothing is stored. A receiver may throw `ImmediateResponse`. */
  pre_social_login: With<{ readonly sociallogin: SocialLogin }>
  /** The same as `pre_social_login`, in the words of the contract. */
  social_login: With<{ readonly sociallogin: SocialLogin }>
  /** A link was made by connecting, or by an address (`EMAIL_AUTHENTICATION_AUTO_CONNECT`); not at a sign-up. */
  social_account_added: With<{ readonly sociallogin: SocialLogin }>
  /** Somebody came back with an account that is linked. */
  social_account_updated: With<{ readonly sociallogin: SocialLogin }>
  /** The same as `social_account_updated`, in the words of the contract: after the update. Its sender is the account class. */
  pre_update: With<{ readonly sociallogin: SocialLogin }>
  social_account_removed: With<{ readonly user: User; readonly socialaccount: SocialAccount }>
  /** Somebody let a client act for them: on the consent page, or by the code of a device. */
  client_allowed: With<{ readonly user: User; readonly client: OidcClient; readonly scopes: readonly string[] }>
  /** They have ended it on the page of applications. */
  client_revoked: With<{ readonly user: User; readonly client: OidcClient }>
  /** With USERSESSIONS_TRACK_ACTIVITY: address or browser of a session have changed. */
  session_client_changed: With<{ readonly from_session: UserSession; readonly to_session: UserSession }>
}
export type SignalName = keyof AuthSignals

export type Receiver<N extends SignalName> = (
  event: AuthSignals[N] & { readonly signal: N; readonly sender: SignalSender },
) => void | Promise<void>

/** In-process and in order of subscription. A receiver that throws breaks the request. */
export interface Signals {
  /** @returns what ends the subscription */
  on<N extends SignalName>(signal: N, receiver: Receiver<N>, options?: { readonly sender?: SignalSender }): () => void
  emit<N extends SignalName>(signal: N, sender: SignalSender, event: AuthSignals[N]): Promise<void>
  /** As `emit`: a receiver that throws is logged, and the others still run. */
  emitSafely<N extends SignalName>(signal: N, sender: SignalSender, event: AuthSignals[N]): Promise<void>
}
