import { withNext } from '../../kernel/http/next.ts'
import type { Account } from '../account.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { resetPasswordForm } from './forms.ts'

/** Routes of the page that asks for the address. */
export const resetRequestPages = (account: Account): readonly PageRoute[] => [
  {
    name: 'account_reset_password',
    path: 'password/reset/',
    access: 'anon',
    GET: async (request) =>
      renderResetRequest(account, request, account.kernel.forms.show(resetPasswordForm(account), request)),
    POST: (request) => submit(account, request),
  },
]

async function submit(account: Account, request: Visit): Promise<PageAnswer> {
  const submitted = await account.kernel.forms.submit(resetPasswordForm(account), request)
  if (!submitted.ok) return renderResetRequest(account, request, submitted.form)
  const byCode = account.kernel.settings.account.passwordResetByCodeEnabled
  const name = byCode ? 'account_confirm_password_reset_code' : 'account_reset_password_done'
  return { kind: 'redirect', to: withNext(account.kernel.url(name), request.next) }
}

const renderResetRequest = async (account: Account, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/password_reset',
  context: { ...(await entranceContext(account, request)), ...nextContext(request), form, password_reset_form: form },
  form,
})

/** A page that only shows a message. */
export const noticePage = (account: Account, page: { name: string; path: string; template: string }): PageRoute => ({
  name: page.name,
  path: page.path,
  access: 'anon',
  GET: async (request) => ({ kind: 'page', template: page.template, context: await entranceContext(account, request) }),
})

/** The page where a new password is chosen. `token_fail`: the link is not good, and there is no form. */
export async function newPasswordPage(
  account: Account,
  request: Visit,
  page: { readonly form: BoundForm; readonly actionUrl: string } | null,
): Promise<PageAnswer> {
  const context = { ...(await entranceContext(account, request)), ...nextContext(request) }
  const template = 'account/password_reset_from_key'
  if (page === null) {
    const status = request.client === 'xhr' ? 400 : 200
    return { kind: 'page', template, context: { ...context, token_fail: true }, status }
  }
  const { form, actionUrl } = page
  return { kind: 'page', template, context: { ...context, form, action_url: actionUrl }, form }
}
