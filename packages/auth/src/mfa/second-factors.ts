import type { Signals } from '../kernel/signals.ts'
import type { MfaSignals } from './signals.ts'
import type { Account } from '../account/account.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import type { MfaAdapter } from './adapter.ts'
import type {
  Authenticator,
  AuthenticatorStore,
  AuthenticatorType,
  FactorUse,
  RecoveryCodeFlow,
  TotpFlow,
  TrustFlow,
  WebauthnFlow,
} from './mfa.ts'

/** Second factors: what pages and the JSON API do with them. */
export interface Mfa {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<MfaSignals>
  readonly account: Account
  readonly adapter: MfaAdapter
  readonly authenticators: AuthenticatorStore
  readonly totp: TotpFlow
  readonly recoveryCodes: RecoveryCodeFlow
  readonly webauthn: WebauthnFlow
  readonly trust: TrustFlow
  /**
   * Checks a TOTP or recovery code, as second factor or to confirm who it is; takes `login_failed`, uses the code up,
   * records, signals. @throws {InvalidInput} `incorrect_code`, `too_many_login_attempts` (param `code`)
   */
  authenticateByCode(request: Visit, user: User, code: string, options: FactorUse): Promise<Authenticator>
  /** Types that a user has, in the fixed order recovery_codes, totp, webauthn; none while the module is off. */
  loadAuthenticatorTypes(request: Visit, user: User): Promise<readonly AuthenticatorType[]>
}
