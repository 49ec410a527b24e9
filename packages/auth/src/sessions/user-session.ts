import type { Signals } from '../kernel/signals.ts'
import type { Account } from '../account/account.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { Visit } from '../kernel/visit.ts'
import type { AuthDb, User, UserId } from '../kernel/users/user.ts'

/** One session of a user, as its owner sees it (2.6 of the reference). */
export interface UserSession {
  /** Of `usersessions_usersession`. */
  readonly id: number
  readonly userId: UserId
  /** `Session.id` of the session itself. */
  readonly sessionKey: string
  /** Empty where it was not known. */
  readonly ip: string
  readonly userAgent: string
  readonly createdAtMs: number
  readonly lastSeenAtMs: number
  readonly isCurrent: boolean
}

/** The one hook of section 6.2.5 of the reference. */
export interface UserSessionsAdapter {
  /** Ends each one: the stored session and the row. */
  endSessions(request: Visit, sessions: readonly UserSession[]): Promise<void>
}
/** Hooks that a host changes: some of them, or a function of the defaults. */
export type UserSessionsAdapterInput =
  | Partial<UserSessionsAdapter>
  | ((defaults: UserSessionsAdapter) => Partial<UserSessionsAdapter>)

/** Where users are signed in. */
export interface UserSessions {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<SessionSignals>
  readonly account: Account
  readonly adapter: UserSessionsAdapter
  /** Removes the rows of sessions that are over, and lists the others, the one seen last first. */
  list(request: Visit, user: User): Promise<readonly UserSession[]>
  /** Those of the user's rows that have these ids, whether or not their sessions still live. */
  find(request: Visit, user: User, ids: readonly number[]): Promise<readonly UserSession[]>
  /** Ends them; with the current one the visitor is signed out. */
  end(request: Visit, user: User, sessions: readonly UserSession[]): Promise<void>
  /** Notes the session of this request: at every sign-in; called once its row is stored. */
  record(request: Visit, user: User): Promise<void>
  /**
   * With `trackActivity`: address, browser and time of this request. When address or browser have changed since the
   * last one `session_client_changed` is sent. Called by the frames for every request of somebody signed in.
   */
  track(request: Visit): Promise<void>
  /** Rows of a user, for programs of the host. */
  ofUser(db: AuthDb, userId: UserId, nowMs: number): Promise<readonly Omit<UserSession, 'isCurrent'>[]>
}

type With<T> = T & { readonly request: Visit | null }

/** Session list signals and their payloads, without the sender (6.1 of the reference). */
export interface SessionSignals {
  /** With USERSESSIONS_TRACK_ACTIVITY: address or browser of a session have changed. */
  session_client_changed: With<{ readonly from_session: UserSession; readonly to_session: UserSession }>
}
