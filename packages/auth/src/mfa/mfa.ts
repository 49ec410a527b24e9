import type { Login, LoginOutcome } from '../kernel/login.ts'
import type { FormValues } from '../kernel/forms/form.ts'
import type { Visit } from '../kernel/visit.ts'
import type { AuthDb, User, UserId } from '../kernel/users/user.ts'

/** The type of a second factor. */
export type AuthenticatorType = 'totp' | 'recovery_codes' | 'webauthn'

/** Type-specific data of an authenticator (JSON), in the reference's form (2.5), so that rows of migrated sites fit. */
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

/** Stores the rows of `mfa_authenticator`. Every call runs on the given database handle. */
export interface AuthenticatorStore {
  /** Returns the user's authenticators, ordered by ID. */
  ofUser(db: AuthDb, userId: UserId, types?: readonly AuthenticatorType[]): Promise<readonly Authenticator[]>
  byId(db: AuthDb, id: number): Promise<Authenticator | null>
  /** Passes unique violations through (for a second TOTP or a second set of recovery codes). */
  insert(db: AuthDb, authenticator: NewAuthenticator): Promise<Authenticator>
  /** Returns `null` if it's gone. */
  update(
    db: AuthDb,
    id: number,
    changes: Partial<Pick<Authenticator, 'data' | 'lastUsedAtMs'>>,
  ): Promise<Authenticator | null>
  /** Returns whether it existed. */
  remove(db: AuthDb, id: number): Promise<boolean>
  /**
   * Lets only one transaction at a time change a user's authenticators or mark one as used. Call it in the transaction
   * before the session is committed.
   */
  lock(db: AuthDb, userId: UserId): Promise<void>
}

/** The setup data for an authenticator app; kept in the session until it's used or replaced. */
export interface TotpOffer {
  /** Base32, 32 characters. */
  readonly secret: string
  /** `otpauth://totp/…` */
  readonly url: string
}

/** Result of adding an authenticator. */
export interface AuthenticatorAdded {
  readonly authenticator: Authenticator
  readonly recoveryCodesGenerated: boolean
}

/** One-time codes of an authenticator app. @see RFC 6238 */
export interface TotpFlow {
  /** Creates a new secret and keeps it in the session. @throws {InvalidInput} `unverified_email` */
  offer(request: Visit, user: User): Promise<TotpOffer>
  /** Returns the secret that was offered last, to show it again; `null` if there is none. */
  offered(request: Visit, user: User): Promise<TotpOffer | null>
  /**
   * Stores the offered secret if the code is correct.
   * @param guard Called for a correct code before anything is stored. Throws to refuse.
   * @throws {InvalidInput} `incorrect_code`, `unverified_email` (param `code`)
   * @throws {AuthError} `flow_wrong_stage` if the user already has an app
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
  /** `false` if they've been viewed and `recoveryCodesShowOnce` is on. Then `unused` must not be shown. */
  readonly canView: boolean
}

/** Viewing and generating recovery codes. */
export interface RecoveryCodeFlow {
  /** Returns the codes without marking them as viewed; `null` if there are none. */
  find(request: Visit, user: User): Promise<RecoveryCodes | null>
  /** Returns the codes to show, and marks them as viewed. `canView` is for this time. */
  view(request: Visit, user: User): Promise<RecoveryCodes | null>
  /**
   * Replaces the codes with a new set, not viewed yet.
   * @throws {InvalidInput} `cannot_generate_recovery_codes` (form) if the user has no other factor
   */
  generate(request: Visit, user: User): Promise<RecoveryCodes>
}

/** Options of `navigator.credentials`, in their JSON form. @see W3C, "Web Authentication" Level 3, 5.1.8 to 5.1.10 */
export interface WebauthnOptions {
  readonly publicKey: Readonly<Record<string, unknown>>
}

/** A credential in its JSON form as a client sent it, unchecked. */
export type CredentialInput = Readonly<Record<string, unknown>>

/** What a second factor is used for. */
export interface FactorUse {
  /** Whether it's for reauthentication; otherwise it's the second step of a login. */
  readonly reauthentication: boolean
  /** That login. The write that uses up the factor also marks its stage as passed, see `LoginFlow.pass`. */
  readonly login?: Login
}

/** Security keys and passkeys. */
export interface WebauthnFlow {
  /**
   * Returns the options for adding a key.
   * @param options.passwordless Creates a passkey: discoverable, with user verification.
   * @throws {InvalidInput} `unverified_email`
   */
  creationOptions(request: Visit, user: User, options: { passwordless: boolean }): Promise<WebauthnOptions>
  /** @throws {InvalidInput} `incorrect_code` (param `credential`), `unverified_email` @throws {AuthError} `rate_limited` */
  add(
    request: Visit,
    user: User,
    given: { readonly name: string; readonly credential: CredentialInput },
  ): Promise<AuthenticatorAdded>
  /** @throws {InvalidInput} `required`, `max_length` (param `name`) @throws {AuthError} `not_found` if it's gone */
  rename(request: Visit, user: User, authenticator: Authenticator, name: string): Promise<Authenticator>
  /** @throws {InvalidInput} `cannot_delete_authenticator` */
  remove(request: Visit, user: User, authenticators: readonly Authenticator[]): Promise<void>
  /** Returns the options for authenticating. @param user `null` for any passkey. @throws {AuthError} `rate_limited` */
  requestOptions(request: Visit, user: User | null): Promise<WebauthnOptions>
  /**
   * Checks a credential of the user, as second factor or for reauthentication. Takes a `login_failed` slot, records the
   * authentication, and emits signals.
   * @throws {InvalidInput} `incorrect_code`, `too_many_login_attempts` (param `credential`)
   */
  authenticate(request: Visit, user: User, credential: CredentialInput, options: FactorUse): Promise<Authenticator>
  /** Signs in the owner of a passkey. The other login stages still apply. @throws {InvalidInput} as `authenticate` */
  login(request: Visit, credential: CredentialInput): Promise<LoginOutcome>
  /** Starts a sign-up without a password: the login waits for a passkey at the stage `mfa_signup_webauthn`. */
  beginSignup(request: Visit, values: FormValues): Promise<LoginOutcome>
  /** Returns the options for the passkey of a login at that stage. */
  signupOptions(request: Visit, user: User): Promise<WebauthnOptions>
  /**
   * Stores the passkey of a new user and marks the stage as passed; the caller resumes the login.
   * @throws {InvalidInput} `incorrect_code`
   */
  completeSignup(
    request: Visit,
    user: User,
    given: { readonly name: string; readonly credential: CredentialInput },
  ): Promise<Authenticator>
}

/** Manages trusted browsers, which skip the second factor. */
export interface TrustFlow {
  isTrusted(request: Visit, user: User): Promise<boolean>
  /** Trusts this browser: the response sets a cookie. */
  trust(request: Visit, user: User): Promise<void>
}
