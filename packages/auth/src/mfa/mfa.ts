import type { Login, LoginOutcome } from '../kernel/login.ts'
import type { FormValues } from '../kernel/forms/form.ts'
import type { Visit } from '../kernel/visit.ts'
import type { AuthDb, User, UserId } from '../kernel/users/user.ts'

/** The type of a second factor. */
export type AuthenticatorType = 'totp' | 'recovery_codes' | 'webauthn'

/** Type-specific data of an authenticator (JSON), in the reference's form (2.5), so an old site's rows fit. */
export type AuthenticatorData = Readonly<Record<string, unknown>>

/** One second factor of a user. */
export interface Authenticator {
  readonly id: number
  readonly userId: UserId
  readonly type: AuthenticatorType
  readonly data: AuthenticatorData
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
}

/** An authenticator to store. */
export type NewAuthenticator = Pick<Authenticator, 'userId' | 'type' | 'data' | 'createdAtMs'>

/** Table `mfa_authenticator`. Every call runs on the handle that it is given. */
export interface AuthenticatorStore {
  /** In the order of their ids. */
  ofUser(db: AuthDb, userId: UserId, types?: readonly AuthenticatorType[]): Promise<readonly Authenticator[]>
  byId(db: AuthDb, id: number): Promise<Authenticator | null>
  /** Unique violations (a second TOTP, a second set of codes) pass through. */
  insert(db: AuthDb, authenticator: NewAuthenticator): Promise<Authenticator>
  /** `null`: it is gone. */
  update(
    db: AuthDb,
    id: number,
    changes: Partial<Pick<Authenticator, 'data' | 'lastUsedAtMs'>>,
  ): Promise<Authenticator | null>
  /** Answers whether it was there. */
  remove(db: AuthDb, id: number): Promise<boolean>
  /** Only one transaction at a time changes the authenticators of a user, or counts one as used: called in it before the session is committed. */
  lock(db: AuthDb, userId: UserId): Promise<void>
}

/** The setup data for an authenticator app; kept in the session until it is used or replaced. */
export interface TotpOffer {
  /** Base32, 32 characters. */
  readonly secret: string
  /** `otpauth://totp/…` */
  readonly url: string
}

/** An authenticator was added, and with it perhaps the first recovery codes. */
export interface AuthenticatorAdded {
  readonly authenticator: Authenticator
  readonly recoveryCodesGenerated: boolean
}

/** One-time codes of an authenticator app. @see RFC 6238 */
export interface TotpFlow {
  /** A new secret. @throws {InvalidInput} `unverified_email` */
  offer(request: Visit, user: User): Promise<TotpOffer>
  /** The secret that was offered last, to show it again. */
  offered(request: Visit, user: User): Promise<TotpOffer | null>
  /**
   * @param guard Called for a right code, before anything is stored: may refuse.
   * @throws {InvalidInput} `incorrect_code`, `unverified_email` (param `code`)
   * @throws {AuthError} `flow_wrong_stage`: there is one already
   */
  activate(request: Visit, user: User, code: string, guard?: () => Promise<void>): Promise<AuthenticatorAdded>
  /** @throws {InvalidInput} `cannot_delete_authenticator` */
  deactivate(request: Visit, user: User, authenticator: Authenticator): Promise<void>
}

/** The recovery codes of a user. */
export interface RecoveryCodes {
  readonly authenticator: Authenticator
  readonly unused: readonly string[]
  readonly total: number
  /** `false`: they were shown before, and `recoveryCodesShowOnce` holds; `unused` must not be shown. */
  readonly canView: boolean
}

/** Viewing and generating recovery codes. */
export interface RecoveryCodeFlow {
  /** Without marking them as seen; `null`: none. */
  find(request: Visit, user: User): Promise<RecoveryCodes | null>
  /** To be shown: `canView` is what holds for this time. From now on they have been seen. */
  view(request: Visit, user: User): Promise<RecoveryCodes | null>
  /**
   * A new set in the place of the old one, not seen yet.
   * @throws {InvalidInput} `cannot_generate_recovery_codes` (form), without another factor
   */
  generate(request: Visit, user: User): Promise<RecoveryCodes>
}

/** Options of `navigator.credentials`, in their JSON form. @see W3C, "Web Authentication" Level 3, 5.1.8 to 5.1.10 */
export interface WebauthnOptions {
  readonly publicKey: Readonly<Record<string, unknown>>
}

/** A credential in its JSON form, as a client sent it: anything. */
export type CredentialInput = Readonly<Record<string, unknown>>

/** What a second factor is used for. */
export interface FactorUse {
  /** To confirm who it is; else as the second step of a login. */
  readonly reauthentication: boolean
  /** That login: its step is marked as done with the write that uses the factor up, see `LoginFlow.pass`. */
  readonly login?: Login
}

/** Security keys and passkeys. */
export interface WebauthnFlow {
  /** @param passwordless A passkey: resident, with user verification. @throws {InvalidInput} `unverified_email` */
  creationOptions(request: Visit, user: User, options: { passwordless: boolean }): Promise<WebauthnOptions>
  /** @throws {InvalidInput} `incorrect_code` (param `credential`), `unverified_email` @throws {AuthError} `rate_limited` */
  add(
    request: Visit,
    user: User,
    given: { readonly name: string; readonly credential: CredentialInput },
  ): Promise<AuthenticatorAdded>
  /** @throws {InvalidInput} `required`, `max_length` (param `name`) @throws {AuthError} `not_found`: it is gone */
  rename(request: Visit, user: User, authenticator: Authenticator, name: string): Promise<Authenticator>
  /** @throws {InvalidInput} `cannot_delete_authenticator` */
  remove(request: Visit, user: User, authenticators: readonly Authenticator[]): Promise<void>
  /** @param user `null` for any passkey, which anyone may request. @throws {AuthError} `rate_limited` */
  requestOptions(request: Visit, user: User | null): Promise<WebauthnOptions>
  /**
   * Checks a credential of the user, as second factor or to confirm who it is; takes `login_failed`, records, signals.
   * @throws {InvalidInput} `incorrect_code`, `too_many_login_attempts` (param `credential`)
   */
  authenticate(request: Visit, user: User, credential: CredentialInput, options: FactorUse): Promise<Authenticator>
  /** Signs in whoever has the passkey; the other stages still apply. @throws {InvalidInput} as `authenticate` */
  login(request: Visit, credential: CredentialInput): Promise<LoginOutcome>
  /** Sign-up without a password: the login waits at `mfa_signup_webauthn` for its passkey. */
  beginSignup(request: Visit, values: FormValues): Promise<LoginOutcome>
  /** For the user of the login at that stage. */
  signupOptions(request: Visit, user: User): Promise<WebauthnOptions>
  /** Stores the passkey of a new user, and marks the stage as done; the caller resumes the login. @throws {InvalidInput} `incorrect_code` */
  completeSignup(
    request: Visit,
    user: User,
    given: { readonly name: string; readonly credential: CredentialInput },
  ): Promise<Authenticator>
}

/** Browsers that skip the second factor. */
export interface TrustFlow {
  isTrusted(request: Visit, user: User): Promise<boolean>
  /** Adds this browser: a cookie is sent with the answer. */
  trust(request: Visit, user: User): Promise<void>
}
