import { withNext } from '../../kernel/http/next.ts'
import type { Account } from '../account.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { CodeProcess } from '../code-process.ts'
import type { Login } from '../../kernel/login.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { sayWhenLimited, tell } from '../refusals.ts'
import { confirmCodeForm, requestCodeForm } from './code-forms.ts'
import { canResend, endCodeLogin, resendLoginCode } from './code-login.ts'
import { CODE_STAGE, codeOfLogin, codeStageData } from './code-processes.ts'
import { outcomeAnswer } from './outcome-answer.ts'
import { awayFromEntrance, loginAtStage } from './page-guards.ts'

/** Pages that ask for a code and take it. */
export const codeLoginPages = (account: Account): readonly PageRoute[] => {
  const { account: settings, socialaccount } = account.kernel.settings
  const request: PageRoute = {
    name: 'account_request_login_code',
    path: 'login/code/',
    access: 'anon',
    GET: async (visit) =>
      (await awayFromEntrance(account, visit)) ??
      requestPage(account, visit, account.kernel.forms.show(requestCodeForm(account), visit)),
    POST: (visit) => submitRequest(account, visit),
  }
  const confirm: PageRoute = {
    name: 'account_confirm_login_code',
    path: 'login/code/confirm/',
    access: 'anon',
    GET: (visit) => atCode(account, visit, (login, process) => showConfirm(account, visit, login, process)),
    POST: (visit) => atCode(account, visit, (login, process) => submitConfirm(account, visit, login, process)),
  }
  return [...(settings.loginByCodeEnabled ? [request] : []), ...(socialaccount.only ? [] : [confirm])]
}

async function submitRequest(account: Account, request: Visit): Promise<PageAnswer> {
  const elsewhere = await awayFromEntrance(account, request)
  if (elsewhere !== null) return elsewhere
  const submitted = await account.kernel.forms.submit(requestCodeForm(account), request)
  return submitted.ok ? outcomeAnswer(submitted.result) : requestPage(account, request, submitted.form)
}

const requestPage = async (account: Account, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/request_login_code',
  context: { ...(await entranceContext(account, request)), ...nextContext(request), form },
  form,
})

/** Where a login by code begins. */
const beginning = (kernel: Kernel): string =>
  kernel.url(kernel.has('account_request_login_code') ? 'account_request_login_code' : 'account_login')

/** Runs `work` with the code that is waited for; a visitor who has none is sent back to the beginning. */
async function atCode(
  account: Account,
  request: Visit,
  work: (login: Login, process: CodeProcess) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const back = withNext(beginning(account.kernel), request.next)
  const found = await loginAtStage(account, request, CODE_STAGE, back)
  if ('answer' in found) return found.answer
  const process = codeOfLogin(request, found.login)
  if (process !== null) return work(found.login, process)
  endCodeLogin(account, request)
  return { kind: 'redirect', to: back }
}

const showConfirm = (account: Account, request: Visit, login: Login, process: CodeProcess): Promise<PageAnswer> =>
  confirmPage(account, request, {
    login,
    process,
    form: account.kernel.forms.show(confirmCodeForm(account, login), request),
  })

async function submitConfirm(
  account: Account,
  request: Visit,
  login: Login,
  process: CodeProcess,
): Promise<PageAnswer> {
  if (request.form.get('action') === 'resend') return resend(account, request, login)
  const submitted = await account.kernel.forms.submit(confirmCodeForm(account, login), request)
  if (!submitted.ok) return confirmPage(account, request, { login, process, form: submitted.form })
  if (submitted.result.kind === 'confirmed') return outcomeAnswer(submitted.result.outcome)
  tell(account, request, 'too_many_login_attempts')
  return { kind: 'redirect', to: withNext(beginning(account.kernel), request.next) }
}

async function resend(account: Account, request: Visit, login: Login): Promise<PageAnswer> {
  const sent = await sayWhenLimited(account, request, () => resendLoginCode(account, request, login))
  if (sent === false) tell(account, request, 'rate_limited')
  return { kind: 'redirect', to: withNext(account.kernel.url('account_confirm_login_code'), request.next) }
}

/** What was typed is shown, not what is stored: both are the same to see for an address that nobody has. */
async function confirmPage(
  account: Account,
  request: Visit,
  { login, process, form }: { readonly login: Login; readonly process: CodeProcess; readonly form: BoundForm },
): Promise<PageAnswer> {
  const context = {
    ...(await entranceContext(account, request)),
    ...nextContext(request),
    verify_form: form,
    can_resend: canResend(account.kernel, process),
    email: process.email === null ? null : shownEmail(login, process.email),
    phone: process.phone,
  }
  return { kind: 'page', template: 'account/confirm_login_code', context, form }
}

const shownEmail = (login: Login, sentTo: string): string =>
  codeStageData(login).initiatedByUser ? (login.email ?? sentTo) : sentTo
