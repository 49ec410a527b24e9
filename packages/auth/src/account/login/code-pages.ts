import type { Core } from '../../core.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { CodeProcess } from '../code-process.ts'
import type { Login } from '../login.ts'
import { entranceContext, nextContext, withNext } from '../page-context.ts'
import { sayWhenLimited, tell } from '../refusals.ts'
import { confirmCodeForm, requestCodeForm } from './code-forms.ts'
import { canResend, endCodeLogin, resendLoginCode } from './code-login.ts'
import { CODE_STAGE, codeOfLogin, codeStageData } from './code-processes.ts'
import { outcomeAnswer } from './outcome-answer.ts'
import { awayFromEntrance, loginAtStage } from './page-guards.ts'

/** Pages that ask for a code and take it. */
export const codeLoginPages = (core: Core): readonly PageRoute[] => {
  const { account, socialaccount } = core.settings
  const request: PageRoute = {
    name: 'account_request_login_code',
    path: 'login/code/',
    access: 'anon',
    GET: async (visit) =>
      (await awayFromEntrance(core, visit)) ?? requestPage(core, visit, core.forms.show(requestCodeForm(core), visit)),
    POST: (visit) => submitRequest(core, visit),
  }
  const confirm: PageRoute = {
    name: 'account_confirm_login_code',
    path: 'login/code/confirm/',
    access: 'anon',
    GET: (visit) => atCode(core, visit, (login, process) => showConfirm(core, visit, login, process)),
    POST: (visit) => atCode(core, visit, (login, process) => submitConfirm(core, visit, login, process)),
  }
  return [...(account.loginByCodeEnabled ? [request] : []), ...(socialaccount.only ? [] : [confirm])]
}

async function submitRequest(core: Core, request: Visit): Promise<PageAnswer> {
  const elsewhere = await awayFromEntrance(core, request)
  if (elsewhere !== null) return elsewhere
  const submitted = await core.forms.submit(requestCodeForm(core), request)
  return submitted.ok ? outcomeAnswer(submitted.result) : requestPage(core, request, submitted.form)
}

const requestPage = async (core: Core, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/request_login_code',
  context: { ...(await entranceContext(core, request)), ...nextContext(request), form },
  form,
})

/** Where a login by code begins. */
const beginning = (core: Core): string =>
  core.url(core.has('account_request_login_code') ? 'account_request_login_code' : 'account_login')

/** Runs `work` with the code that is waited for; a visitor who has none is sent back to the beginning. */
async function atCode(
  core: Core,
  request: Visit,
  work: (login: Login, process: CodeProcess) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const back = withNext(beginning(core), request.next)
  const found = await loginAtStage(core, request, CODE_STAGE, back)
  if ('answer' in found) return found.answer
  const process = codeOfLogin(core, request, found.login)
  if (process !== null) return work(found.login, process)
  endCodeLogin(core, request)
  return { kind: 'redirect', to: back }
}

const showConfirm = (core: Core, request: Visit, login: Login, process: CodeProcess): Promise<PageAnswer> =>
  confirmPage(core, request, { login, process, form: core.forms.show(confirmCodeForm(core, login), request) })

async function submitConfirm(core: Core, request: Visit, login: Login, process: CodeProcess): Promise<PageAnswer> {
  if (request.form.get('action') === 'resend') return resend(core, request, login)
  const submitted = await core.forms.submit(confirmCodeForm(core, login), request)
  if (!submitted.ok) return confirmPage(core, request, { login, process, form: submitted.form })
  if (submitted.result.kind === 'confirmed') return outcomeAnswer(submitted.result.outcome)
  tell(core, request, 'too_many_login_attempts')
  return { kind: 'redirect', to: withNext(beginning(core), request.next) }
}

async function resend(core: Core, request: Visit, login: Login): Promise<PageAnswer> {
  const sent = await sayWhenLimited(core, request, () => resendLoginCode(core, request, login))
  if (sent === false) tell(core, request, 'rate_limited')
  return { kind: 'redirect', to: withNext(core.url('account_confirm_login_code'), request.next) }
}

/** What was typed is shown, not what is stored: both are the same to see for an address that nobody has. */
async function confirmPage(
  core: Core,
  request: Visit,
  { login, process, form }: { readonly login: Login; readonly process: CodeProcess; readonly form: BoundForm },
): Promise<PageAnswer> {
  const context = {
    ...(await entranceContext(core, request)),
    ...nextContext(request),
    verify_form: form,
    can_resend: canResend(core, process),
    email: process.email === null ? null : shownEmail(login, process.email),
    phone: process.phone,
  }
  return { kind: 'page', template: 'account/confirm_login_code', context, form }
}

const shownEmail = (login: Login, sentTo: string): string =>
  codeStageData(login).initiatedByUser ? (login.email ?? sentTo) : sentTo
