import type { SignupForm } from '../kernel/forms/form.ts'
import type { LoginFlow } from '../kernel/login.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { Signals } from '../kernel/signals.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { AccountAdapter } from './adapter.ts'
import type { EmailAddressStore, EmailConfirmationStore, PhoneStore, EmailAddress } from './email-address.ts'

/** The services of the account module: addresses, phone numbers, the login flow, and the host's hooks. */
export interface Account {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<AccountSignals>
  /** The host's hooks, with defaults for those it doesn't override. */
  readonly adapter: AccountAdapter
  readonly emails: EmailAddressStore
  readonly confirmations: EmailConfirmationStore
  readonly phones: PhoneStore
  readonly login: LoginFlow
  /** The host's additions to the sign-up form, if any. */
  readonly signupForm: SignupForm | null
}

type WithRequest<T> = T & { readonly request: Visit | null }
type UserPayload = WithRequest<{ readonly user: User }>

/** Account signals and their payloads, without the sender (6.1 of the reference). */
export interface AccountSignals {
  user_signed_up: WithRequest<{
    readonly user: User
    /** A `SocialLogin` if the user signed up through a provider. */
    readonly sociallogin?: unknown
  }>
  user_logged_in: WithRequest<{
    readonly user: User
    readonly response: { readonly redirectTo: string }
    /** A `SocialLogin` if the user signed in through a provider. */
    readonly sociallogin?: unknown
  }>
  user_logged_out: UserPayload
  authentication_step_completed: WithRequest<{
    readonly user: User
    readonly method: string
    readonly [key: string]: unknown
  }>
  password_set: UserPayload
  password_changed: UserPayload
  password_reset: UserPayload
  email_confirmed: WithRequest<{ readonly email_address: EmailAddress; readonly user: User }>
  email_confirmation_sent: WithRequest<{
    readonly confirmation: { readonly email: string; readonly key: string | null }
    readonly signup: boolean
  }>
  email_changed: WithRequest<{
    readonly user: User
    readonly from_email_address: EmailAddress | null
    readonly to_email_address: EmailAddress
  }>
  email_added: WithRequest<{ readonly user: User; readonly email_address: EmailAddress }>
  email_removed: WithRequest<{ readonly user: User; readonly email_address: EmailAddress }>
  login_code_rejected: WithRequest<{ readonly user: User; readonly last_attempt: boolean }>
  password_reset_code_rejected: WithRequest<{ readonly user: User; readonly last_attempt: boolean }>
  email_verification_code_rejected: WithRequest<{ readonly user: User; readonly last_attempt: boolean }>
  /** Emitted before an address is added. A receiver refuses it by throwing `InvalidInput`, as the MFA module does. */
  _add_email: WithRequest<{ readonly user: User; readonly email: string }>
}
