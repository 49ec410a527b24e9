import type { Core } from '../../core.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { nextContext, withNext } from '../page-context.ts'
import { changePasswordForm, setPasswordForm } from './forms.ts'

/** One of the two pages: of those who have a password, and of those who have none yet. */
interface OwnPasswordPage {
  readonly name: string
  readonly path: string
  readonly template: string
  /** Second name of the form in the template. */
  readonly formName: string
  readonly form: (core: Core, user: User) => FormDefinition<void>
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
export const ownPasswordPages = (core: Core): readonly PageRoute[] =>
  [CHANGE, SET].map((page) => ({
    name: page.name,
    path: page.path,
    access: 'auth',
    limit: { action: 'change_password', per: 'user' },
    GET: async (request) => atPage(core, request, page, (form) => shown(request, page, core.forms.show(form, request))),
    POST: (request) => atPage(core, request, page, (form) => submit(core, request, page, form)),
  }))

async function atPage(
  core: Core,
  request: Visit,
  page: OwnPasswordPage,
  work: (form: FormDefinition<void>) => PageAnswer | Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { user } = request
  if (user === null) return { kind: 'redirect', to: core.url('account_login') }
  if (!page.isFor(user)) return { kind: 'redirect', to: withNext(core.url(page.other), request.next) }
  return work(page.form(core, user))
}

async function submit(
  core: Core,
  request: Visit,
  page: OwnPasswordPage,
  form: FormDefinition<void>,
): Promise<PageAnswer> {
  const submitted = await core.forms.submit(form, request)
  if (!submitted.ok) return shown(request, page, submitted.form)
  return { kind: 'redirect', to: request.next ?? core.adapter.getPasswordChangeRedirectUrl(request) }
}

const shown = (request: Visit, page: OwnPasswordPage, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: page.template,
  context: { ...nextContext(request), form, [page.formName]: form },
  form,
})
