import type { Visit } from '../../kernel/visit.ts'
import type { User, UserId } from '../../kernel/users/user.ts'
import type { EmailVerification, Login, LoginState } from '../../kernel/login.ts'
import { provedPassword } from './proved-password.ts'

/** Entry of the session that holds the login under way. */
const KEY = 'account_login'
const SALT = 'gatepost.account.pending_login'

/** A login as the session keeps it: the user by id, read anew each time. */
interface StoredLogin {
  readonly user_pk: UserId | null
  readonly signup: boolean
  readonly email_verification: EmailVerification
  readonly email: string | null
  readonly phone: string | null
  readonly redirect_url: string | null
  readonly signal_kwargs: Readonly<Record<string, unknown>>
  readonly state: LoginState
  readonly initiated_at: number
  readonly bound_to: string
}

/** Keeps the login for the visitor's next request. */
export function storePending(request: Visit, login: Login): void {
  const stored: StoredLogin = {
    user_pk: login.user?.id ?? null,
    signup: login.signup,
    email_verification: login.emailVerification,
    email: login.email,
    phone: login.phone,
    redirect_url: login.redirectUrl,
    signal_kwargs: login.signalArguments,
    state: login.state,
    initiated_at: login.initiatedAtMs,
    bound_to: login.boundTo ?? '',
  }
  request.session.set(KEY, stored)
}

/** What a login is bound to: whoever began it with a password that has been replaced does not get in. */
export async function passwordFingerprint(request: Visit, user: User | null): Promise<string> {
  const proved = user === null ? null : provedPassword(request, user)
  return request.kernel.signer.fingerprint(proved ?? (await passwordOf(request, user)), SALT)
}

const passwordOf = async (request: Visit, user: User | null): Promise<string> =>
  user === null ? '' : ((await request.kernel.users.passwordOf(request.db, user.id)) ?? '')

/**
 * The login under way. One that is older than `loginTimeout`, or whose user is gone or has another password, is dropped.
 */
export async function loadPending(request: Visit): Promise<Login | null> {
  const value = request.session.get(KEY)
  if (value === undefined || value === null) return null
  const stored = value as StoredLogin // written by `storePending` alone; sessions are sealed
  const isOld = request.nowMs - stored.initiated_at > request.kernel.settings.account.loginTimeout * 1000
  const user = isOld || stored.user_pk === null ? null : await request.kernel.users.byId(request.db, stored.user_pk)
  const isGone = stored.user_pk !== null && user === null
  if (isOld || isGone || !(await isBound(request, stored.bound_to, user))) {
    dropPending(request)
    return null
  }
  return {
    user,
    signup: stored.signup,
    emailVerification: stored.email_verification,
    email: stored.email,
    phone: stored.phone,
    redirectUrl: stored.redirect_url,
    signalArguments: stored.signal_kwargs,
    state: stored.state,
    initiatedAtMs: stored.initiated_at,
    boundTo: stored.bound_to,
  }
}

async function isBound(request: Visit, boundTo: string, user: User | null): Promise<boolean> {
  return request.kernel.signer.fingerprints(await passwordOf(request, user), SALT).includes(boundTo)
}

/** Forgets the login under way. */
export const dropPending = (request: Visit): void => request.session.delete(KEY)
