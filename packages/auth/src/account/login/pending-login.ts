import type { Visit } from '../../kernel/visit.ts'
import type { User, UserId } from '../../kernel/users/user.ts'
import type { EmailVerification, Login, LoginState } from '../../kernel/login.ts'
import { readVerifiedPassword } from './proved-password.ts'

/** Entry of the session that holds the login under way. */
const KEY = 'account_login'
const SALT = 'gatepost.account.pending_login'

/** A login as stored in the session: the user by id, loaded again each time. */
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

/** Fingerprint that binds a login to the password it started with: a replaced password ends the login. */
export async function passwordFingerprint(request: Visit, user: User | null): Promise<string> {
  const proved = user === null ? null : readVerifiedPassword(request, user)
  return request.kernel.signer.fingerprint(proved ?? (await loadPasswordHashOrEmpty(request, user)), SALT)
}

const loadPasswordHashOrEmpty = async (request: Visit, user: User | null): Promise<string> =>
  user === null ? '' : ((await request.kernel.users.loadPasswordHash(request.db, user.id)) ?? '')

/**
 * Returns the pending login. Drops one that is older than `loginTimeout`, or whose user was deleted or changed the
 * password.
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
  return request.kernel.signer.fingerprints(await loadPasswordHashOrEmpty(request, user), SALT).includes(boundTo)
}

/** Forgets the login under way. */
export const dropPending = (request: Visit): void => request.session.delete(KEY)
