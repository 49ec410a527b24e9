import type { EmailCodeTried } from './account/email/code-verification.ts'
import type { Added } from './account/email/management.ts'
import type { LoginOutcome } from './kernel/login.ts'
import type { CodeResult } from './account/login/code-login.ts'
import type { PhoneCodeTried } from './account/phone/code-verification.ts'
import type { SignedUp } from './account/signup/signup-flow.ts'
import type { Authenticator, AuthenticatorAdded, RecoveryCodes } from './mfa/mfa.ts'
import type { User } from './kernel/users/user.ts'
import type { FormId, FormOverride } from './kernel/forms/form.ts'

/** What `save` of each form answers. */
export interface FormResults {
  add_email: Added
  /** `false`: not offered any more. */
  change_email: boolean
  change_password: void
  /** At the stage of a login `false` says that it is not offered any more. */
  change_phone: boolean | void
  confirm_email_verification_code: EmailCodeTried
  confirm_login_code: Exclude<CodeResult, { readonly kind: 'wrong' }>
  confirm_password_reset_code: 'confirmed' | 'ended'
  login: LoginOutcome
  reauthenticate: null
  request_login_code: LoginOutcome
  /** The address that was given. */
  reset_password: string
  reset_password_from_key: LoginOutcome | null
  set_password: void
  signup: SignedUp
  user_token: User
  verify_phone: PhoneCodeTried
  mfa_authenticate: Authenticator
  mfa_reauthenticate: Authenticator
  activate_totp: AuthenticatorAdded
  deactivate_totp: void
  generate_recovery_codes: RecoveryCodes
  add_webauthn: AuthenticatorAdded
  edit_webauthn: Authenticator
  login_webauthn: LoginOutcome
  reauthenticate_webauthn: Authenticator
  authenticate_webauthn: Authenticator
  signup_webauthn: Authenticator
  socialaccount_signup: LoginOutcome
  disconnect: void
}

/** What a host gives to change forms, by their ids. */
export type FormOverrides = { readonly [K in FormId]?: FormOverride<FormResults[K]> }
