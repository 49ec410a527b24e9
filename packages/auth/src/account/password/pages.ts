import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import { withNext } from '../../kernel/http/redirects.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { outcomeAnswer } from '../login/page-guards.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { addErrorMessage } from '../refusals.ts'
import { changePasswordForm, confirmResetCodeForm, newPasswordForm, setPasswordForm } from './forms.ts'
import { pendingReset, type PendingReset, resetByCode, findResetUser } from './reset-code.ts'
import { resetLinkPages, newPasswordPage, noticePage, resetRequestPages } from './reset-pages.ts'

/** Pages for changing, setting, and resetting passwords; none if users sign in only through providers. */
export function passwordPages(account: Account): readonly PageRoute[] {
  const { account: settings, socialaccount } = account.kernel.settings
  if (socialaccount.only) return []
  const reset = settings.passwordResetByCodeEnabled ? resetCodePages : resetLinkPages
  return [...ownPasswordPages(account), ...resetRequestPages(account), ...reset(account)]
}

/** One of the two pages: change a password, or set the first one. */
interface OwnPasswordPage {
  readonly name: string
  readonly path: string
  readonly template: string
  /** Second name of the form in the template. */
  readonly formName: string
  readonly form: (account: Account, user: User) => FormDefinition<void>
  readonly isFor: (user: User) => boolean
  /** Name of the page for all other users. */
  readonly other: string
}

const CHANGE: OwnPasswordPage = {
  name: 'account_change_password',
  path: 'password/change/',
  template: 'account/password_change',
  formName: 'password_change_form',
  form: changePasswordForm,
  isFor: ({ hasUsablePassword }) => hasUsablePassword,
  other: 'account_set_password',
}
const SET: OwnPasswordPage = {
  name: 'account_set_password',
  path: 'password/set/',
  template: 'account/password_set',
  formName: 'password_set_form',
  form: setPasswordForm,
  isFor: ({ hasUsablePassword }) => !hasUsablePassword,
  other: 'account_change_password',
}

/** Pages for changing a password and for setting the first one. */
const ownPasswordPages = (account: Account): readonly PageRoute[] =>
  [CHANGE, SET].map((page) => ({
    name: page.name,
    path: page.path,
    access: 'auth',
    limit: { action: 'change_password', per: 'user' },
    GET: async (request) =>
      withOwnPasswordForm(account, request, page, (form) =>
        renderPasswordPage(request, page, account.kernel.forms.show(form, request)),
      ),
    POST: (request) => withOwnPasswordForm(account, request, page, (form) => submit(account, request, page, form)),
  }))

async function withOwnPasswordForm(
  account: Account,
  request: Visit,
  page: OwnPasswordPage,
  work: (form: FormDefinition<void>) => PageAnswer | Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { user } = request
  if (user === null) return { kind: 'redirect', to: account.kernel.url('account_login') }
  if (!page.isFor(user)) return { kind: 'redirect', to: withNext(account.kernel.url(page.other), request.next) }
  return work(page.form(account, user))
}

async function submit(
  account: Account,
  request: Visit,
  page: OwnPasswordPage,
  form: FormDefinition<void>,
): Promise<PageAnswer> {
  const submitted = await account.kernel.forms.submit(form, request)
  if (!submitted.ok) return renderPasswordPage(request, page, submitted.form)
  return { kind: 'redirect', to: request.next ?? account.adapter.getPasswordChangeRedirectUrl(request) }
}

const renderPasswordPage = (request: Visit, page: OwnPasswordPage, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: page.template,
  context: { ...nextContext(request), form, [page.formName]: form },
  form,
})

const CONFIRM = 'account_confirm_password_reset_code'
const COMPLETE = 'account_complete_password_reset'
const COMPLETED = 'account_password_reset_completed'

/** Pages for a reset by emailed code. */
const resetCodePages = (account: Account): readonly PageRoute[] => [
  {
    name: CONFIRM,
    path: 'password/reset/confirm/',
    access: 'anon',
    GET: (request) =>
      withPendingReset(request, async (pending) =>
        confirmPage(
          account,
          request,
          pending,
          account.kernel.forms.show(confirmResetCodeForm(account, pending), request),
        ),
      ),
    POST: (request) => withPendingReset(request, (pending) => submitCode(account, request, pending)),
  },
  {
    name: COMPLETE,
    path: 'password/reset/complete/',
    access: 'anon',
    limit: { action: 'reset_password_from_key', per: 'ip' },
    GET: (request) =>
      withVerifiedReset(request, async (user, pending) =>
        completePage(account, request, account.kernel.forms.show(codeResetForm(account, user, pending), request)),
      ),
    POST: (request) => withVerifiedReset(request, (user, pending) => submitPassword(account, request, user, pending)),
  },
  noticePage(account, {
    name: COMPLETED,
    path: 'password/reset/done/',
    template: 'account/password_reset_from_key_done',
  }),
]

const redirect = (request: Visit, name: string): PageAnswer => ({
  kind: 'redirect',
  to: withNext(request.kernel.url(name), request.next),
})

/** Runs `work` if a code is pending, or redirects. */
async function withPendingReset(
  request: Visit,
  work: (pending: PendingReset) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const pending = pendingReset(request)
  if (pending === null) return redirect(request, 'account_reset_password')
  return pending.confirmed ? redirect(request, COMPLETE) : work(pending)
}

/** Runs `work` if the code has been verified, or redirects. */
async function withVerifiedReset(
  request: Visit,
  work: (user: User, pending: PendingReset) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const pending = pendingReset(request)
  if (pending?.confirmed === false) return redirect(request, CONFIRM)
  const user = pending === null ? null : await findResetUser(request, pending.process)
  if (pending === null || user === null) return redirect(request, 'account_reset_password')
  return work(user, pending)
}

async function submitCode(account: Account, request: Visit, pending: PendingReset): Promise<PageAnswer> {
  const submitted = await account.kernel.forms.submit(confirmResetCodeForm(account, pending), request)
  if (!submitted.ok) return confirmPage(account, request, pending, submitted.form)
  if (submitted.result === 'confirmed') return redirect(request, COMPLETE)
  addErrorMessage(account, request, 'too_many_login_attempts')
  return redirect(request, 'account_login')
}

const codeResetForm = (account: Account, user: User, pending: PendingReset) =>
  newPasswordForm<LoginOutcome | null>(account, user, (request, password) =>
    resetByCode(account, request, pending, {
      user,
      password,
      redirectUrl: request.next ?? account.kernel.url(COMPLETED),
    }),
  )

async function submitPassword(
  account: Account,
  request: Visit,
  user: User,
  pending: PendingReset,
): Promise<PageAnswer> {
  const submitted = await account.kernel.forms.submit(codeResetForm(account, user, pending), request)
  if (!submitted.ok) return completePage(account, request, submitted.form)
  return submitted.result === null ? redirect(request, COMPLETED) : outcomeAnswer(submitted.result)
}

/** Shows the address as typed, not as stored, so that known and unknown addresses look the same. */
const confirmPage = async (
  account: Account,
  request: Visit,
  { email }: PendingReset,
  form: BoundForm,
): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/confirm_password_reset_code',
  context: { ...(await entranceContext(account, request)), ...nextContext(request), verify_form: form, email },
  form,
})

const completePage = (account: Account, request: Visit, form: BoundForm): Promise<PageAnswer> =>
  newPasswordPage(account, request, { form, actionUrl: account.kernel.url(COMPLETE) })
