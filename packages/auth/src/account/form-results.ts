import type { EmailCodeTried } from './email/code-verification.ts'
import type { AddAddressResult } from './email/management.ts'
import type { CodeResult } from './login/code-login.ts'
import type { PhoneCodeResult } from './phone/code-verification.ts'
import type { SignedUp } from './signup/signup-flow.ts'
import type { LoginOutcome } from '../kernel/login.ts'
import type { User } from '../kernel/users/user.ts'

/** What `save` of each account form returns, by form ID. */
export interface AccountFormResults {
  add_email: AddAddressResult
  /** `false` if it's no longer offered. */
  change_email: boolean
  change_password: void
  /** During a login, `false` if it's no longer offered. */
  change_phone: boolean | void
  confirm_email_verification_code: EmailCodeTried
  confirm_login_code: Exclude<CodeResult, { readonly kind: 'wrong' }>
  confirm_password_reset_code: 'confirmed' | 'ended'
  login: LoginOutcome
  reauthenticate: null
  request_login_code: LoginOutcome
  /** The email address that was entered. */
  reset_password: string
  reset_password_from_key: LoginOutcome | null
  set_password: void
  signup: SignedUp
  user_token: User
  verify_phone: PhoneCodeResult
}
