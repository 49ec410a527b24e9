import type { Core } from '../../core.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Login, LoginFlow, LoginOutcome, LoginStage, NewLogin } from '../login.ts'
import { withNext } from '../page-context.ts'
import {
  addRecord,
  authenticationRecords,
  forgetOlderRecords,
  isRecentlyAuthenticated,
} from './authentication-records.ts'
import { dropPending, loadPending, passwordFingerprint, storePending } from './pending-login.ts'
import { advance, firstState, isPassed, nextStage, wasInterrupted } from './stage-machine.ts'

/**
 * The frame of every login: hooks before it, the stages in their order, the sign-in itself.
 * @param core Asked at each call: the flow is part of it.
 */
export function createLoginFlow(core: () => Core): LoginFlow {
  const pending: LoginFlow['pending'] = (request) => loadPending(core(), request)
  return {
    begin: (request, login) => begin(core(), request, login),
    pending,
    async at(request, stage) {
      const login = await pending(request)
      return login?.state.current === stage ? login : null
    },
    pass: (request, login) => storePending(request, passed(core(), login)),
    resume: (request, login) => run(core(), request, passed(core(), login)),
    update: storePending,
    drop: dropPending,
    resumeUrl: (request) => resumeUrl(core(), request),
    record: (request, record, user) => addRecord(core(), request, record, user),
    records: authenticationRecords,
    isRecent: (request) => isRecentlyAuthenticated(core(), request),
    logout: (request, options) => logout(core(), request, options?.silent === true),
  }
}

function passed(core: Core, login: Login): Login {
  if (isPassed(login.state)) return login
  const keys = core.adapter.getLoginStages().map(({ key }) => key)
  return { ...login, state: advance(login.state, { type: 'passed' }, keys) }
}

async function begin(core: Core, request: Visit, { stageData = {}, ...given }: NewLogin): Promise<LoginOutcome> {
  dropPending(request)
  if (request.user === null) forgetOlderRecords(request)
  const { user } = given
  const redirectUrl = given.redirectUrl ?? request.next
  const answer = await core.adapter.preLogin(request, { ...given, redirectUrl })
  if (answer instanceof Response) return { kind: 'response', response: answer }
  if (answer !== null) return { kind: user?.isActive === false ? 'inactive' : 'stopped', redirectTo: answer }
  return run(core, request, {
    user,
    signup: given.signup ?? false,
    emailVerification: given.emailVerification ?? core.settings.account.emailVerification,
    email: given.email ?? null,
    phone: given.phone ?? null,
    redirectUrl,
    signalArguments: given.signalArguments ?? {},
    state: firstState(stageData),
    initiatedAtMs: request.nowMs,
  })
}

/** Goes on through the stages until one needs the visitor, ends the login, or none is left. */
async function run(core: Core, request: Visit, begun: Login): Promise<LoginOutcome> {
  const stages = core.adapter.getLoginStages()
  const keys = stages.map(({ key }) => key)
  let login = begun
  for (;;) {
    const key = nextStage(login.state, keys)
    const stage = stages.find((candidate) => candidate.key === key)
    if (stage === undefined) return complete(core, request, login)
    login = { ...login, state: advance(login.state, { type: 'entered', stage: stage.key }, keys) }
    const decision = await stage.enter(request, login)
    if (decision.kind === 'pass') {
      login = { ...login, state: advance(login.state, { type: 'passed' }, keys) }
      continue
    }
    if (decision.kind === 'wait') {
      const { data } = decision
      const boundTo = login.boundTo ?? (await passwordFingerprint(core, request, login.user))
      storePending(request, { ...login, boundTo, state: advance(login.state, { type: 'waited', data }, keys) })
      return { kind: 'stage', stage: stage.key, redirectTo: stageUrl(core, stage, login, decision.redirectTo) }
    }
    dropPending(request)
    return { kind: 'stopped', redirectTo: decision.kind === 'stop' ? decision.redirectTo : core.url('account_login') }
  }
}

const stageUrl = (core: Core, stage: LoginStage, login: Login, page: string = core.url(stage.page)): string =>
  withNext(page, login.redirectUrl)

/** No stage is left. A login of nobody ends here at the latest; one of an account disabled meanwhile too. */
async function complete(core: Core, request: Visit, login: Login): Promise<LoginOutcome> {
  dropPending(request)
  // Of two requests that end the same login only one signs in: the other finds nothing under way.
  if (wasInterrupted(login.state)) await request.session.commit()
  if (login.user === null) return { kind: 'stopped', redirectTo: core.url('account_login') }
  if (!login.user.isActive) return inactive(core, request, login.user)
  await core.adapter.login(request, login.user)
  const user = request.user ?? login.user
  const redirectTo = await core.adapter.postLogin(request, { ...login, user })
  const others = await core.social.signalArguments(request, login.signalArguments)
  const event = { ...others, request, user, response: { redirectTo } }
  await core.signals.emit('user_logged_in', 'User', event)
  await core.adapter.addMessage(request, 'success', 'account/messages/logged_in', { user })
  return { kind: 'authenticated', user, redirectTo }
}

function inactive(core: Core, request: Visit, user: User): LoginOutcome {
  const answer = core.adapter.respondUserInactive(request, user)
  return answer instanceof Response ? { kind: 'response', response: answer } : { kind: 'inactive', redirectTo: answer }
}

async function resumeUrl(core: Core, request: Visit): Promise<string | null> {
  const login = await loadPending(core, request)
  const stage = core.adapter.getLoginStages().find(({ key }) => key === login?.state.current)
  if (login === null || stage === undefined || !stage.resumable(request)) return null
  return stageUrl(core, stage, login)
}

/** Clears the whole session, also that of a visitor whose login was under way. */
async function logout(core: Core, request: Visit, isSilent: boolean): Promise<void> {
  const { user } = request
  await core.adapter.logout(request)
  if (user === null) return
  await core.signals.emit('user_logged_out', 'User', { request, user })
  if (!isSilent) await core.adapter.addMessage(request, 'success', 'account/messages/logged_out', { user })
}
