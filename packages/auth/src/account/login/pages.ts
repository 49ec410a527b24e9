import { AuthError, InvalidInput } from '../../errors.ts'
import type { BoundForm, FormValues, Field, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import { withNext } from '../../kernel/http/redirects.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { LoginOutcome, Login } from '../../kernel/login.ts'
import type { AuthSettings } from '../../kernel/settings/settings.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import type { CodeProcess } from '../code-process.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { showRateLimitError, addErrorMessage } from '../refusals.ts'
import {
  canResend,
  type CodeResult,
  confirmLoginCode,
  endCodeLogin,
  requestLoginCode,
  resendLoginCode,
} from './code-login.ts'
import { CODE_STAGE, findLoginCode, codeStageData } from './code-delivery.ts'
import { identify, passwordLogin, type LoginMethod } from './password-login.ts'
import { outcomeAnswer, redirectSignedIn, loginAtStage } from './page-guards.ts'

/** Pages for signing in by password or code, and the page for deactivated accounts. */
export const loginPages = (account: Account): readonly PageRoute[] => [
  {
    name: 'account_login',
    path: 'login/',
    access: 'anon',
    limit: { action: 'login', per: 'ip' },
    GET: async (request) =>
      (await redirectSignedIn(account, request)) ??
      renderLoginPage(account, request, account.kernel.forms.show(loginForm(account), request, readLoginHint(request))),
    POST: (request) => submit(account, request),
  },
  {
    name: 'account_inactive',
    path: 'inactive/',
    access: 'anon',
    GET: async (request) => ({
      kind: 'page',
      template: 'account/account_inactive',
      context: await entranceContext(account, request),
    }),
  },
  ...codeLoginPages(account),
]

/** Maximum length of a hint, in characters; longer than any address. */
const MAX_LOGIN_LENGTH = 320

/** Returns the username or address from the `login` query parameter. */
function readLoginHint({ url }: Visit): FormValues {
  const login = url.searchParams.get('login') ?? ''
  return login === '' || login.length > MAX_LOGIN_LENGTH ? {} : { login }
}

async function submit(account: Account, request: Visit): Promise<PageAnswer> {
  if (account.kernel.settings.socialaccount.only) throw new AuthError('permission_denied')
  const elsewhere = await redirectSignedIn(account, request)
  if (elsewhere !== null) return elsewhere
  const submitted = await account.kernel.forms.submit(loginForm(account), request)
  return submitted.ok ? outcomeAnswer(submitted.result) : renderLoginPage(account, request, submitted.form)
}

const renderLoginPage = async (account: Account, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/login',
  context: { ...(await entranceContext(account, request)), ...nextContext(request), form },
  form,
})

/** Form `login`: an identifier and a password; without passwords at sign-up, a request for a code. */
const loginForm = (account: Account): FormDefinition<LoginOutcome> => ({
  id: 'login',
  fields: () => [
    loginField(account.kernel.settings),
    ...(hasPasswords(account.kernel) ? [PASSWORD] : []),
    ...(account.kernel.settings.account.sessionRemember === null ? [REMEMBER] : []),
  ],
  clean: (_request, values) => Promise.resolve(values),
  async save(request, values) {
    const given = identify(String(values['login']), account.kernel.settings.account.loginMethods)
    const outcome = hasPasswords(account.kernel)
      ? await passwordLogin(account, request, { ...given, password: String(values['password']) })
      : await requestLoginCode(account, request, {
          email: given.identifiers.email ?? '',
          phone: given.identifiers.phone ?? '',
          param: 'login',
        })
    setSessionPersistence(request, values['remember'] === true)
    return outcome
  },
})

/** Returns whether users of this site have passwords. */
const hasPasswords = (kernel: Kernel): boolean =>
  kernel.settings.account.signupFields.some(({ name }) => name === 'password1')

function setSessionPersistence(request: Visit, chosen: boolean): void {
  request.session.persistent = request.kernel.settings.account.sessionRemember ?? chosen
}

const PASSWORD: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  required: true,
  autocomplete: 'current-password',
}
const REMEMBER: Field = { name: 'remember', label: 'Keep me signed in', type: 'checkbox', required: false }

const LABEL_MESSAGES: Readonly<Record<string, string>> = {
  username: 'Username',
  email: 'Email address',
  phone: 'Phone number',
  'email,username': 'Username or email address',
  'phone,username': 'Username or phone number',
  'email,phone': 'Email address or phone number',
  'email,phone,username': 'Username, email address, or phone number',
}

/** Returns the login field. With one method, it has the matching input type; with several, it's plain text. */
function loginField({ account, mfa }: AuthSettings): Field {
  const methods: readonly LoginMethod[] = account.loginMethods
  const only = methods.length === 1 ? methods[0] : undefined
  const label = LABEL_MESSAGES[methods.toSorted().join(',')] ?? 'Username'
  const base = { name: 'login', label, required: true, autofocus: true, maxLength: 320 }
  // Makes browsers offer passkeys when autofilling the field. @see W3C, "Web Authentication" Level 3, 5.1.4
  const filled = (token: string): string => (mfa.enabled && mfa.passkeyLoginEnabled ? `${token} webauthn` : token)
  if (only === 'email') return { ...base, type: 'email', autocomplete: filled('email') }
  if (only === 'phone') return { ...base, type: 'tel', autocomplete: filled('tel') }
  return { ...base, type: 'text', autocomplete: filled('username') }
}

/** Pages for requesting and entering a code. */
const codeLoginPages = (account: Account): readonly PageRoute[] => {
  const { account: settings, socialaccount } = account.kernel.settings
  const request: PageRoute = {
    name: 'account_request_login_code',
    path: 'login/code/',
    access: 'anon',
    GET: async (visit) =>
      (await redirectSignedIn(account, visit)) ??
      requestPage(account, visit, account.kernel.forms.show(requestCodeForm(account), visit)),
    POST: (visit) => submitRequest(account, visit),
  }
  const confirm: PageRoute = {
    name: 'account_confirm_login_code',
    path: 'login/code/confirm/',
    access: 'anon',
    GET: (visit) =>
      withPendingLoginCode(account, visit, (login, process) => showConfirm(account, visit, login, process)),
    POST: (visit) =>
      withPendingLoginCode(account, visit, (login, process) => submitConfirm(account, visit, login, process)),
  }
  return [...(settings.loginByCodeEnabled ? [request] : []), ...(socialaccount.only ? [] : [confirm])]
}

async function submitRequest(account: Account, request: Visit): Promise<PageAnswer> {
  const elsewhere = await redirectSignedIn(account, request)
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

/** Returns the URL where a login by code starts. */
const codeLoginUrl = (kernel: Kernel): string =>
  kernel.url(kernel.has('account_request_login_code') ? 'account_request_login_code' : 'account_login')

/** Runs `work` with the pending code, or redirects to where a login by code starts. */
async function withPendingLoginCode(
  account: Account,
  request: Visit,
  work: (login: Login, process: CodeProcess) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const back = withNext(codeLoginUrl(account.kernel), request.next)
  const found = await loginAtStage(account, request, CODE_STAGE, back)
  if ('answer' in found) return found.answer
  const process = findLoginCode(request, found.login)
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
  addErrorMessage(account, request, 'too_many_login_attempts')
  return { kind: 'redirect', to: withNext(codeLoginUrl(account.kernel), request.next) }
}

async function resend(account: Account, request: Visit, login: Login): Promise<PageAnswer> {
  const sent = await showRateLimitError(account, request, () => resendLoginCode(account, request, login))
  if (sent === false) addErrorMessage(account, request, 'rate_limited')
  return { kind: 'redirect', to: withNext(account.kernel.url('account_confirm_login_code'), request.next) }
}

/** Shows the address as typed, not as stored, so that known and unknown addresses look the same. */
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
    email: process.email === null ? null : formatSentTo(login, process.email),
    phone: process.phone,
  }
  return { kind: 'page', template: 'account/confirm_login_code', context, form }
}

const formatSentTo = (login: Login, sentTo: string): string =>
  codeStageData(login).initiatedByUser ? (login.email ?? sentTo) : sentTo

/** Form `request_login_code`: takes an email address or, if it's a login method, a phone number. */
const requestCodeForm = (account: Account): FormDefinition<LoginOutcome> => ({
  id: 'request_login_code',
  fields() {
    const { loginMethods } = account.kernel.settings.account
    if (!loginMethods.includes('phone')) return [emailField(true)]
    return loginMethods.length === 1 ? [phoneField(account, true)] : [emailField(false), phoneField(account, false)]
  },
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) =>
    requestLoginCode(account, request, { email: String(values['email'] ?? ''), phone: String(values['phone'] ?? '') }),
})

const emailField = (required: boolean): Field => ({
  name: 'email',
  label: 'Email address',
  type: 'email',
  required,
  autocomplete: 'email',
  autofocus: true,
  maxLength: 320,
})

const phoneField = (account: Account, required: boolean): Field =>
  account.adapter.phoneFormField({ required, ...(required ? { autofocus: true } : {}) })

/** Form `confirm_login_code`. A wrong code is a form error while attempts are left. */
const confirmCodeForm = (
  account: Account,
  login: Login,
): FormDefinition<Exclude<CodeResult, { readonly kind: 'wrong' }>> => ({
  id: 'confirm_login_code',
  fields: () => [
    {
      name: 'code',
      label: 'Code',
      type: 'text',
      required: true,
      autocomplete: 'one-time-code',
      autofocus: true,
      maxLength: 100,
      ...(account.kernel.settings.account.loginByCodeFormat.numeric ? { inputMode: 'numeric' as const } : {}),
    },
  ],
  clean: (_request, values) => Promise.resolve(values),
  async save(request, values) {
    const result = await confirmLoginCode(account, request, login, String(values['code']))
    if (result.kind !== 'wrong') return result
    throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
  },
})
