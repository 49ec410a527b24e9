import { withNext } from '../../kernel/http/next.ts'
import type { Account } from '../account.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { nextContext } from '../page-context.ts'
import { changePasswordForm, setPasswordForm } from './forms.ts'

/** One of the two pages: of those who have a password, and of those who have none yet. */
interface OwnPasswordPage {
  readonly name: string
  readonly path: string
  readonly template: string
  /** Second name of the form in the template. */
  readonly formName: string
  readonly form: (account: Account, user: User) => FormDefinition<void>
  readonly isFor: (user: User) => boolean
  /** Name of the page of the others. */
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

/** Change of a password, and the first password of an account without one. */
export const ownPasswordPages = (account: Account): readonly PageRoute[] =>
  [CHANGE, SET].map((page) => ({
    name: page.name,
    path: page.path,
    access: 'auth',
    limit: { action: 'change_password', per: 'user' },
    GET: async (request) =>
      atPage(account, request, page, (form) => shown(request, page, account.kernel.forms.show(form, request))),
    POST: (request) => atPage(account, request, page, (form) => submit(account, request, page, form)),
  }))

async function atPage(
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
  if (!submitted.ok) return shown(request, page, submitted.form)
  return { kind: 'redirect', to: request.next ?? account.adapter.getPasswordChangeRedirectUrl(request) }
}

const shown = (request: Visit, page: OwnPasswordPage, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: page.template,
  context: { ...nextContext(request), form, [page.formName]: form },
  form,
})
