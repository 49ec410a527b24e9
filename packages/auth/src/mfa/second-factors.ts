import type { Account } from '../account/account.ts'
import type { MailContext } from '../account/adapter.ts'
import type { LoginOutcome } from '../kernel/login.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { Signals } from '../kernel/signals.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type {
  Authenticator,
  AuthenticatorStore,
  AuthenticatorType,
  FactorUse,
  RecoveryCodeFlow,
  TotpFlow,
  TrustFlow,
  WebauthnFlow,
  AuthenticatorAdded,
  RecoveryCodes,
} from './mfa.ts'

/** The services of the MFA module. */
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
   * Checks a TOTP or recovery code, as second factor or for reauthentication, and uses it up. Takes a `login_failed`
   * slot, records the authentication, and emits signals.
   * @throws {InvalidInput} `incorrect_code`, `too_many_login_attempts` (param `code`)
   */
  authenticateByCode(request: Visit, user: User, code: string, options: FactorUse): Promise<Authenticator>
  /** Returns the user's types in the fixed order recovery_codes, totp, webauthn; none while the module is off. */
  loadAuthenticatorTypes(request: Visit, user: User): Promise<readonly AuthenticatorType[]>
}

type WithRequest<T> = T & { readonly request: Visit | null }
type AuthenticatorPayload = WithRequest<{ readonly user: User; readonly authenticator: Authenticator }>

/** Second factor signals and their payloads, without the sender (6.1 of the reference). */
export interface MfaSignals {
  /** Also emitted for recovery codes that are generated together with another factor. */
  authenticator_added: AuthenticatorPayload
  /** The same as `authenticator_added`, but its sender is the user class. */
  authenticator_created: AuthenticatorPayload
  authenticator_removed: AuthenticatorPayload
  /** Recovery codes were replaced. */
  authenticator_reset: AuthenticatorPayload
  authenticator_used: WithRequest<{
    readonly user: User
    readonly authenticator: Authenticator
    readonly reauthenticated: boolean
    readonly passwordless: boolean
  }>
  /** A wrong code or credential; `authenticator` is the main one of the user, TOTP before others. */
  authentication_failed: WithRequest<{
    readonly user: User
    readonly authenticator: Authenticator
    readonly reauthentication: boolean
  }>
  /** The first authenticator besides recovery codes was added. */
  mfa_enabled: AuthenticatorPayload
  /** The last authenticator besides recovery codes was removed. */
  mfa_disabled: AuthenticatorPayload
}

/** Behavior of second factors that a host can override: section 6.2.3 of the reference, in camelCase. */
export interface MfaAdapter {
  /** Returns the name of the account in the authenticator app. */
  getTotpLabel(request: Visit, user: User): string
  getTotpIssuer(request: Visit): string
  /** Returns the `otpauth://totp/…` URL. */
  buildTotpUrl(request: Visit, user: User, secret: string): string
  /** Returns a QR code as SVG text. */
  buildTotpSvg(url: string): string | Promise<string>
  /** Encrypts a secret for storage. By default, seals it with the secret key. */
  encrypt(text: string): string
  /** Decrypts a stored secret. By default, opens sealed ones and returns others (of migrated sites) as they are. */
  decrypt(text: string): string
  canDeleteAuthenticator(request: Visit, authenticator: Authenticator): boolean | Promise<boolean>
  sendNotificationMail(
    request: Visit,
    templatePrefix: string,
    user: User,
    options?: { context?: MailContext; email?: string },
  ): Promise<void>
  /** Returns whether the user has any authenticator (of these types). */
  isMfaEnabled(request: Visit, user: User, types?: readonly AuthenticatorType[]): Promise<boolean>
  generateAuthenticatorName(request: Visit, user: User, type: AuthenticatorType): Promise<string>
  getPublicKeyCredentialRpEntity(request: Visit): { readonly id: string; readonly name: string }
  getPublicKeyCredentialUserEntity(
    request: Visit,
    user: User,
  ): { readonly id: Uint8Array; readonly name: string; readonly displayName: string }
}

/** The host's hooks, or a function that returns them and can call the defaults it gets. Class instances work too. */
export type MfaAdapterInput = Partial<MfaAdapter> | ((defaults: MfaAdapter) => Partial<MfaAdapter>)

/** What `save` of each MFA form returns, by form ID. */
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
