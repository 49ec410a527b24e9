import type { SignupForm } from '../kernel/forms/form.ts'
import type { LoginFlow } from '../kernel/login.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { Signals } from '../kernel/signals.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { AccountAdapter } from './adapter.ts'
import type { EmailAddressStore, EmailConfirmationStore, PhoneStore, EmailAddress } from './email-address.ts'

/** Accounts: addresses, phones, the frame of every login, and the hooks of the host. */
export interface Account {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<AccountSignals>
  /** The host's hooks over the defaults. */
  readonly adapter: AccountAdapter
  readonly emails: EmailAddressStore
  readonly confirmations: EmailConfirmationStore
  readonly phones: PhoneStore
  readonly login: LoginFlow
  /** The host's own part of every sign-up. */
  readonly signupForm: SignupForm | null
}

type With<T> = T & { readonly request: Visit | null }
type OfUser = With<{ readonly user: User }>

/** Account signals and their payloads, without the sender (6.1 of the reference). */
export interface AccountSignals {
  user_signed_up: With<{
    readonly user: User /** Of a login by a provider: a `SocialLogin`. */
    readonly sociallogin?: unknown
  }>
  user_logged_in: With<{
    readonly user: User
    readonly response: { readonly redirectTo: string }
    /** Of a login by a provider: a `SocialLogin`. */
    readonly sociallogin?: unknown
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
}
