import type { Signals } from '../kernel/signals.ts'
import type { Account } from '../account/account.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { Visit } from '../kernel/visit.ts'
import type { AuthDb, User, UserId } from '../kernel/users/user.ts'

/** A session as shown to its user (2.6 of the reference). */
export interface UserSession {
  /** ID of the row in `usersessions_usersession`. */
  readonly id: number
  readonly userId: UserId
  /** `Session.id` of the session. */
  readonly sessionKey: string
  /** Empty if unknown. */
  readonly ip: string
  readonly userAgent: string
  readonly createdAtMs: number
  readonly lastSeenAtMs: number
  readonly isCurrent: boolean
}

/** Hook of session lists (section 6.2.5 of the reference). */
export interface UserSessionsAdapter {
  /** Ends each session: deletes the stored session and its row. */
  endSessions(request: Visit, sessions: readonly UserSession[]): Promise<void>
}
/** The host's hooks, or a function that returns them and can call the defaults it gets. */
export type UserSessionsAdapterInput =
  | Partial<UserSessionsAdapter>
  | ((defaults: UserSessionsAdapter) => Partial<UserSessionsAdapter>)

/** Lists and ends the sessions of users. */
export interface UserSessions {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<SessionSignals>
  readonly account: Account
  readonly adapter: UserSessionsAdapter
  /** Returns the user's sessions, last seen first. Removes the rows of those that have ended. */
  list(request: Visit, user: User): Promise<readonly UserSession[]>
  /** Returns the user's rows with these IDs, whether or not their sessions are still active. */
  find(request: Visit, user: User, ids: readonly number[]): Promise<readonly UserSession[]>
  /** Ends sessions. Signs the visitor out if the current one is among them. */
  end(request: Visit, user: User, sessions: readonly UserSession[]): Promise<void>
  /** Records the session of this request. Called at every sign-in, once the session is stored. */
  record(request: Visit, user: User): Promise<void>
  /**
   * WithRequest `trackActivity`, records the IP address, browser, and time of this request, and emits `session_client_changed`
   * if the address or browser has changed. Called at the end of every request of a signed-in user.
   */
  track(request: Visit): Promise<void>
  /** Returns a user's sessions, for the host's code. */
  ofUser(db: AuthDb, userId: UserId, nowMs: number): Promise<readonly Omit<UserSession, 'isCurrent'>[]>
}

type WithRequest<T> = T & { readonly request: Visit | null }

/** Session list signals and their payloads, without the sender (6.1 of the reference). */
export interface SessionSignals {
  /** The IP address or browser of a session has changed (only with USERSESSIONS_TRACK_ACTIVITY). */
  session_client_changed: WithRequest<{ readonly from_session: UserSession; readonly to_session: UserSession }>
}
