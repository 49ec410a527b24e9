import type { RepeatableHandler, Visit } from './visit.ts'
import type { User } from './users/user.ts'

/** Keys of the built-in stages, in their order; modules add theirs. */
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
 * A sign-in in progress: kept in the session until every stage has been passed. `user` is `null` if the address is
 * unknown and the visitor must not see that: such a login can never complete.
 */
export interface Login {
  readonly user: User | null
  readonly signup: boolean
  readonly emailVerification: EmailVerification
  /** The address or phone that was used, which the stages are about. */
  readonly email: string | null
  readonly phone: string | null
  readonly redirectUrl: string | null
  /** Extra arguments of `user_logged_in`, JSON (e.g. a provider's login). */
  readonly signalArguments: Readonly<Record<string, unknown>>
  /** Where the stages are. */
  readonly state: LoginState
  readonly initiatedAtMs: number
  /** Fingerprint of the password that the user had when the first stage was shown: with another one the login is void. */
  readonly boundTo?: string
}

/** The stages of a login. */
export interface LoginState {
  readonly current: StageKey | null
  /** By stage: whether it is done, and what it keeps (JSON). */
  readonly stages: Readonly<Record<string, StageState>>
}
/** The state of one stage of a login. */
export interface StageState {
  readonly handled: boolean
  /** Its page was shown in this login. */
  readonly shown?: true
  readonly data?: unknown
}

/** What a new login starts with. */
export type NewLogin = Pick<Login, 'user'> &
  Partial<Omit<Login, 'user' | 'state' | 'initiatedAtMs' | 'boundTo'>> & {
    /** Initial data of the stages, by key (JSON). */
    readonly stageData?: Readonly<Record<string, unknown>>
  }

/** What a stage decides when the login comes to it. */
export type StageDecision =
  /** Nothing to do (any more): on to the next. */
  | { readonly kind: 'pass' }
  /** Store the login and show the stage's page, or `redirectTo` in its place. `data` is kept with it. */
  | { readonly kind: 'wait'; readonly data?: unknown; readonly redirectTo?: string }
  /** Drop the login and answer this. */
  | { readonly kind: 'stop'; readonly redirectTo: string }
  /** Drop the login; back to the login page. */
  | { readonly kind: 'abort' }

/** One stage of every login. */
export interface LoginStage {
  readonly key: StageKey
  /** Reverse name of its page. */
  readonly page: string
  /** Whether a visitor who comes back to the login page is sent to it. */
  readonly resumable: (request: Visit) => boolean
  /** Decides what a login that comes to this stage does. */
  readonly enter: RepeatableHandler<[login: Login], StageDecision>
}

/** A method to reauthenticate a signed-in user. */
export interface ReauthenticationMethod {
  readonly id: string
  readonly description: string
  readonly url: string
}

/** Where a login has got to. */
export type LoginOutcome =
  | { readonly kind: 'authenticated'; readonly user: User; readonly redirectTo: string }
  | { readonly kind: 'stage'; readonly stage: StageKey; readonly redirectTo: string }
  /** The account is disabled: the pages show `account/account_inactive`, JSON answers 401. */
  | { readonly kind: 'inactive'; readonly redirectTo: string }
  | { readonly kind: 'stopped'; readonly redirectTo: string }
  | { readonly kind: 'response'; readonly response: Response }

/** A record of how the user authenticated (2.11 of the reference); the newest decides what counts as recent. */
export interface AuthenticationRecord {
  readonly method: 'password' | 'code' | 'mfa' | 'socialaccount' | 'password_reset' | (string & {})
  /** Seconds since the Unix epoch, with fraction. */
  readonly at: number
  readonly [key: string]: unknown
}

/** The frame of every login, shared by pages and JSON. */
export interface LoginFlow {
  /** Begins a login and runs its stages as far as they go. A pending one is replaced. */
  begin(request: Visit, login: NewLogin): Promise<LoginOutcome>
  /** The pending login, if it is not older than `loginTimeout` seconds and the password is still the same. */
  pending(request: Visit): Promise<Login | null>
  /** The pending login, when `stage` is its current one. */
  at(request: Visit, stage: StageKey): Promise<Login | null>
  /**
   * Marks the current stage as done, with the next write of the session: in the transaction that uses up what it was
   * done with. A request that is run again after that, or another one when its process died, only resumes.
   */
  pass(request: Visit, login: Login): void
  /** Marks the current stage as done and goes on. */
  resume(request: Visit, login: Login): Promise<LoginOutcome>
  /** Writes changed data of the current stage, or a changed address. */
  update(request: Visit, login: Login): void
  /** Forgets the pending login. */
  drop(request: Visit): void
  /** Page of the pending stage when it can be resumed, else `null`. */
  resumeUrl(request: Visit): Promise<string | null>
  record(request: Visit, record: Omit<AuthenticationRecord, 'at'>, user: User | null): Promise<void>
  records(request: Visit): readonly AuthenticationRecord[]
  /** Whether the person has proved who they are within `reauthenticationTimeout` seconds, or has no way to. */
  isRecent(request: Visit): Promise<boolean>
  /** @param options `silent`: shows no message on the next page, because the browser leaves the site */
  logout(request: Visit, options?: { readonly silent?: boolean }): Promise<void>
}
