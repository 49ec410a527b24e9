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

/** Everything about second factors that a host may decide otherwise: section 6.2.3 of the reference, in camelCase. */
export interface MfaAdapter {
  /** Name of the account in the authenticator app. */
  getTotpLabel(request: Visit, user: User): string
  getTotpIssuer(request: Visit): string
  /** `otpauth://totp/…` */
  buildTotpUrl(request: Visit, user: User, secret: string): string
  /** A QR code as SVG text. */
  buildTotpSvg(url: string): string | Promise<string>
  /** What secrets are stored as. Default: sealed with the secret key. */
  encrypt(text: string): string
  /** Default: opens what is sealed; clear values of an old site pass. */
  decrypt(text: string): string
  canDeleteAuthenticator(request: Visit, authenticator: Authenticator): boolean | Promise<boolean>
  sendNotificationMail(
    request: Visit,
    templatePrefix: string,
    user: User,
    options?: { context?: MailContext; email?: string },
  ): Promise<void>
  /** Whether the user has any authenticator (of these types). */
  isMfaEnabled(request: Visit, user: User, types?: readonly AuthenticatorType[]): Promise<boolean>
  generateAuthenticatorName(request: Visit, user: User, type: AuthenticatorType): Promise<string>
  getPublicKeyCredentialRpEntity(request: Visit): { readonly id: string; readonly name: string }
  getPublicKeyCredentialUserEntity(
    request: Visit,
    user: User,
  ): { readonly id: Uint8Array; readonly name: string; readonly displayName: string }
}

/** A host's changes, or a function that makes them from the defaults. Instances of classes do too. */
export type MfaAdapterInput = Partial<MfaAdapter> | ((defaults: MfaAdapter) => Partial<MfaAdapter>)

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
