import { withNext } from '../../kernel/http/redirects.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type {
  Login,
  LoginFlow,
  LoginOutcome,
  LoginStage,
  NewLogin,
  AuthenticationRecord,
  EmailVerification,
  LoginState,
} from '../../kernel/login.ts'
import type { User, UserId } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { readVerifiedPassword } from './credentials.ts'
import { advance, createLoginState, hasShownStage, isPassed, nextStage } from './stage-machine.ts'

/**
 * Creates the flow of every login: the hook before it, the stages in order, and the sign-in itself.
 */
export function createLoginFlow(account: Account): LoginFlow {
  const pending: LoginFlow['pending'] = (request) => loadPending(request)
  return {
    begin: (request, login) => begin(account, request, login),
    pending,
    async at(request, stage) {
      const login = await pending(request)
      return login?.state.current === stage ? login : null
    },
    pass: (request, login) => storePending(request, markStagePassed(account, login)),
    resume: (request, login) => run(account, request, markStagePassed(account, login)),
    update: storePending,
    drop: dropPending,
    resumeUrl: (request) => resumeUrl(account, request),
    record: (request, record, user) => addRecord(account, request, record, user),
    records: authenticationRecords,
    isRecent: (request) => isRecentlyAuthenticated(account, request),
    logout: (request, options) => logout(account, request, options?.silent === true),
  }
}

function markStagePassed(account: Account, login: Login): Login {
  if (isPassed(login.state)) return login
  const keys = account.adapter.getLoginStages().map(({ key }) => key)
  return { ...login, state: advance(login.state, { type: 'passed' }, keys) }
}

async function begin(account: Account, request: Visit, { stageData = {}, ...given }: NewLogin): Promise<LoginOutcome> {
  dropPending(request)
  if (request.user === null) pruneLoginRecords(request)
  const { user } = given
  const redirectUrl = given.redirectUrl ?? request.next
  const answer = await account.adapter.preLogin(request, { ...given, redirectUrl })
  if (answer instanceof Response) return { kind: 'response', response: answer }
  if (answer !== null) return { kind: user?.isActive === false ? 'inactive' : 'stopped', redirectTo: answer }
  return run(account, request, {
    user,
    signup: given.signup ?? false,
    emailVerification: given.emailVerification ?? account.kernel.settings.account.emailVerification,
    email: given.email ?? null,
    phone: given.phone ?? null,
    redirectUrl,
    signalArguments: given.signalArguments ?? {},
    state: createLoginState(stageData),
    initiatedAtMs: request.nowMs,
  })
}

/** Runs the stages until one needs the visitor or ends the login, or none is left. */
async function run(account: Account, request: Visit, begun: Login): Promise<LoginOutcome> {
  const stages = account.adapter.getLoginStages()
  const keys = stages.map(({ key }) => key)
  let login = begun
  for (;;) {
    const key = nextStage(login.state, keys)
    const stage = stages.find((candidate) => candidate.key === key)
    if (stage === undefined) return complete(account, request, login)
    login = { ...login, state: advance(login.state, { type: 'entered', stage: stage.key }, keys) }
    const decision = await stage.enter(request, login)
    if (decision.kind === 'pass') {
      login = { ...login, state: advance(login.state, { type: 'passed' }, keys) }
      continue
    }
    if (decision.kind === 'wait') {
      const { data } = decision
      const boundTo = login.boundTo ?? (await passwordFingerprint(request, login.user))
      storePending(request, { ...login, boundTo, state: advance(login.state, { type: 'waited', data }, keys) })
      return {
        kind: 'stage',
        stage: stage.key,
        redirectTo: stageUrl(account.kernel, stage, login, decision.redirectTo),
      }
    }
    dropPending(request)
    return {
      kind: 'stopped',
      redirectTo: decision.kind === 'stop' ? decision.redirectTo : account.kernel.url('account_login'),
    }
  }
}

const stageUrl = (kernel: Kernel, stage: LoginStage, login: Login, page: string = kernel.url(stage.page)): string =>
  withNext(page, login.redirectUrl)

/** Signs in after the last stage. Ends a login without a user, or of a user deactivated in the meantime. */
async function complete(account: Account, request: Visit, login: Login): Promise<LoginOutcome> {
  dropPending(request)
  // If two requests complete the same login, the commit of one fails, and its retry finds no pending login.
  if (hasShownStage(login.state)) await request.session.commit()
  if (login.user === null) return { kind: 'stopped', redirectTo: account.kernel.url('account_login') }
  if (!login.user.isActive) return respondInactive(account, request, login.user)
  await account.adapter.login(request, login.user)
  const user = request.user ?? login.user
  const redirectTo = await account.adapter.postLogin(request, { ...login, user })
  let others = login.signalArguments
  for (const module of account.kernel.modules) {
    others = (await module.loginSignalArguments?.(request, others)) ?? others
  }
  const event = { ...others, request, user, response: { redirectTo } }
  await account.signals.emit('user_logged_in', 'User', event)
  await account.adapter.addMessage(request, 'success', 'account/messages/logged_in', { user })
  return { kind: 'authenticated', user, redirectTo }
}

function respondInactive(account: Account, request: Visit, user: User): LoginOutcome {
  const answer = account.adapter.respondUserInactive(request, user)
  return answer instanceof Response ? { kind: 'response', response: answer } : { kind: 'inactive', redirectTo: answer }
}

async function resumeUrl(account: Account, request: Visit): Promise<string | null> {
  const login = await loadPending(request)
  const stage = account.adapter.getLoginStages().find(({ key }) => key === login?.state.current)
  if (login === null || stage === undefined || !stage.resumable(request)) return null
  return stageUrl(account.kernel, stage, login)
}

/** Clears the whole session, including a login in progress. */
async function logout(account: Account, request: Visit, isSilent: boolean): Promise<void> {
  const { user } = request
  await account.adapter.logout(request)
  if (user === null) return
  await account.signals.emit('user_logged_out', 'User', { request, user })
  if (!isSilent) await account.adapter.addMessage(request, 'success', 'account/messages/logged_out', { user })
}

const RECORDS_KEY = 'account_authentication_methods'
/** Maximum number of records in a session; the oldest are dropped. */
const MAX_RECORDS = 20

/** Returns how the visitor has authenticated in this session, oldest first. */
function authenticationRecords(request: Visit): readonly AuthenticationRecord[] {
  const records = request.session.get(RECORDS_KEY)
  return Array.isArray(records) ? (records as readonly AuthenticationRecord[]) : [] // written only here
}

/**
 * Adds a record and emits `authentication_step_completed`. Ends another user's session first, so that one user's
 * authentication never counts for another.
 */
async function addRecord(
  account: Account,
  request: Visit,
  record: Omit<AuthenticationRecord, 'at'>,
  user: User | null,
): Promise<void> {
  const { method, ...details } = record
  if (request.user !== null && request.user.id !== user?.id) await account.adapter.logout(request)
  const added = { ...details, method: String(method), at: request.nowMs / 1000 }
  request.session.set(RECORDS_KEY, [...authenticationRecords(request), added].slice(-MAX_RECORDS))
  if (user === null) return
  const event = { ...details, method: added.method, request, user }
  await request.afterCommit(() => account.signals.emit('authentication_step_completed', 'User', event))
}

/** Drops records from an abandoned login, so that they don't count for the next one; keeps those of this request. */
function pruneLoginRecords(request: Visit): void {
  const records = authenticationRecords(request)
  const own = records.filter(({ at }) => at === request.nowMs / 1000)
  if (own.length < records.length) request.session.set(RECORDS_KEY, own)
}

/**
 * Returns whether the newest record is within `reauthenticationTimeout`, or the user can't reauthenticate. With
 * `mfa.reauthenticationRequired`, only a second factor counts if the user had one at the time of the record.
 */
async function isRecentlyAuthenticated(account: Account, request: Visit): Promise<boolean> {
  if (request.user === null) return false
  const { account: settings, mfa } = account.kernel.settings
  const recent = authenticationRecords(request).filter(
    ({ at }) => request.nowMs / 1000 - at < settings.reauthenticationTimeout,
  )
  if (recent.some(({ method }) => method === 'mfa' || !mfa.reauthenticationRequired)) return true
  const methods = await account.adapter.getReauthenticationMethods(request, request.user)
  if (methods.length === 0) return true
  const sinceMs = Math.min(...methods.map(({ secondFactorSinceMs }) => secondFactorSinceMs ?? Infinity))
  return recent.some(({ at }) => at * 1000 < sinceMs)
}

/** Session entry of the pending login. */
const PENDING_KEY = 'account_login'
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

/** Stores the login for the visitor's next request. */
function storePending(request: Visit, login: Login): void {
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
  request.session.set(PENDING_KEY, stored)
}

/** Returns a fingerprint that binds a login to the current password: replacing the password ends the login. */
async function passwordFingerprint(request: Visit, user: User | null): Promise<string> {
  const proved = user === null ? null : readVerifiedPassword(request, user)
  return request.kernel.signer.fingerprint(proved ?? (await loadPasswordHashOrEmpty(request, user)), SALT)
}

const loadPasswordHashOrEmpty = async (request: Visit, user: User | null): Promise<string> =>
  user === null ? '' : ((await request.kernel.users.loadPasswordHash(request.db, user.id)) ?? '')

/**
 * Returns the pending login. Drops one that is older than `loginTimeout`, or whose user was deleted or changed the
 * password.
 */
async function loadPending(request: Visit): Promise<Login | null> {
  const value = request.session.get(PENDING_KEY)
  if (value === undefined || value === null) return null
  const stored = value as StoredLogin // written only by `storePending`; sessions are sealed
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

/** Drops the pending login. */
const dropPending = (request: Visit): void => request.session.delete(PENDING_KEY)
