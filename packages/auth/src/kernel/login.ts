import type { RepeatableHandler, Visit } from './visit.ts'
import type { User } from './users/user.ts'

/** The key of a login stage: one of the modules' stages, in their order, or one of the host's. */
export type StageKey =
  | 'login_by_code'
  | 'verify_phone'
  | 'verify_email'
  | 'mfa_authenticate'
  | 'mfa_trust'
  | 'mfa_signup_webauthn'
  | (string & {})

/** Whether an email address must be verified to sign in. */
export type EmailVerification = 'mandatory' | 'optional' | 'none'

/**
 * A login in progress, stored in the session until all stages are done. `user` is `null` if the email address or phone
 * number is unknown and the visitor must not find out: such a login never completes.
 */
export interface Login {
  readonly user: User | null
  readonly signup: boolean
  readonly emailVerification: EmailVerification
  /** The email address of this login or signup, for the stages. */
  readonly email: string | null
  readonly phone: string | null
  readonly redirectUrl: string | null
  /** Additional arguments of the `user_logged_in` signal as JSON, such as the social login. */
  readonly signalArguments: Readonly<Record<string, unknown>>
  /** The progress through the stages. */
  readonly state: LoginState
  readonly initiatedAtMs: number
  /**
   * Fingerprint of the user's password when the first stage was shown. The login becomes invalid if the password
   * changes.
   */
  readonly boundTo?: string
}

/** The progress of a login through its stages. */
export interface LoginState {
  readonly current: StageKey | null
  /** The state of each stage that the login has reached. */
  readonly stages: Readonly<Record<string, StageState>>
}
/** The state of one stage of a login. */
export interface StageState {
  readonly handled: boolean
  /** Set once the stage's page was shown in this login. */
  readonly shown?: true
  /** The stage's own data, as JSON. */
  readonly data?: unknown
}

/** The input of `LoginFlow.begin`. */
export type NewLogin = Pick<Login, 'user'> &
  Partial<Omit<Login, 'user' | 'state' | 'initiatedAtMs' | 'boundTo'>> & {
    /** Initial data of the stages as JSON, by stage key. */
    readonly stageData?: Readonly<Record<string, unknown>>
  }

/** A stage's decision about a login that reaches it. */
export type StageDecision =
  /** Nothing left to do: continue with the next stage. */
  | { readonly kind: 'pass' }
  /** Store the login with `data`, and redirect to the stage's page or to `redirectTo`. */
  | { readonly kind: 'wait'; readonly data?: unknown; readonly redirectTo?: string }
  /** Drop the login and redirect there. */
  | { readonly kind: 'stop'; readonly redirectTo: string }
  /** Drop the login and redirect to the login page. */
  | { readonly kind: 'abort' }

/** A stage that every login goes through. */
export interface LoginStage {
  readonly key: StageKey
  /** Reverse name of its page. */
  readonly page: string
  /** Returns whether a visitor who opens the login page again is redirected to this stage. */
  readonly resumable: (request: Visit) => boolean
  /** Decides how a login that reaches this stage continues. */
  readonly enter: RepeatableHandler<[login: Login], StageDecision>
}

/** A way for a signed-in user to reauthenticate. */
export interface ReauthenticationMethod {
  readonly id: string
  readonly description: string
  readonly url: string
  /** Set for a second factor: when the user added their first one, in milliseconds since the Unix epoch. */
  readonly secondFactorSinceMs?: number
}

/** The result of running a login's stages. */
export type LoginOutcome =
  | { readonly kind: 'authenticated'; readonly user: User; readonly redirectTo: string }
  | { readonly kind: 'stage'; readonly stage: StageKey; readonly redirectTo: string }
  /** The account is disabled: the pages show `account/account_inactive`, the JSON API responds with 401. */
  | { readonly kind: 'inactive'; readonly redirectTo: string }
  | { readonly kind: 'stopped'; readonly redirectTo: string }
  | { readonly kind: 'response'; readonly response: Response }

/**
 * A record of how the user authenticated (reference, section 2.11). The newest determines whether a login is recent.
 */
export interface AuthenticationRecord {
  readonly method: 'password' | 'code' | 'mfa' | 'socialaccount' | 'password_reset' | (string & {})
  /** Fractional seconds since the Unix epoch. */
  readonly at: number
  readonly [key: string]: unknown
}

/** Runs logins through their stages, for both the pages and the JSON API. */
export interface LoginFlow {
  /** Starts a login, replacing a pending one, and runs its stages until one has to wait. */
  begin(request: Visit, login: NewLogin): Promise<LoginOutcome>
  /**
   * Returns the pending login, or `null` if it is older than `loginTimeout` seconds or the password has changed since.
   */
  pending(request: Visit): Promise<Login | null>
  /** Returns the pending login if `stage` is its current stage, otherwise `null`. */
  at(request: Visit, stage: StageKey): Promise<Login | null>
  /**
   * Marks the current stage as done when the session is next written, which is in the transaction that consumes the
   * code or other proof. A request that is retried afterward, or follows a crash, only resumes the login.
   */
  pass(request: Visit, login: Login): void
  /** Marks the current stage as done and continues the login. */
  resume(request: Visit, login: Login): Promise<LoginOutcome>
  /** Stores changed data of the current stage, or a changed email address. */
  update(request: Visit, login: Login): void
  /** Discards the pending login. */
  drop(request: Visit): void
  /** Returns the URL of the pending stage's page, or `null` if no stage is pending or it can't be resumed. */
  resumeUrl(request: Visit): Promise<string | null>
  record(request: Visit, record: Omit<AuthenticationRecord, 'at'>, user: User | null): Promise<void>
  records(request: Visit): readonly AuthenticationRecord[]
  /**
   * Returns whether the user authenticated within the last `reauthenticationTimeout` seconds or has no way to
   * reauthenticate.
   */
  isRecent(request: Visit): Promise<boolean>
  /**
   * Signs the visitor out.
   * @param options `silent`: adds no message for the next page, because the browser leaves the site
   */
  logout(request: Visit, options?: { readonly silent?: boolean }): Promise<void>
}
