import type { LoginOutcome } from '../kernel/login.ts'
import type { Authenticator, AuthenticatorAdded, RecoveryCodes } from './mfa.ts'

/** What `save` of each form of two-factor authentication returns, by form id. */
export interface MfaFormResults {
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
}
