import type { Core } from '../../core.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { entranceContext, nextContext, withNext } from '../page-context.ts'
import { resetPasswordForm } from './forms.ts'

/** Asks for the address whose password is to be reset. */
export const resetRequestPages = (core: Core): readonly PageRoute[] => [
  {
    name: 'account_reset_password',
    path: 'password/reset/',
    access: 'anon',
    GET: async (request) => shown(core, request, core.forms.show(resetPasswordForm(core), request)),
    POST: (request) => submit(core, request),
  },
]

async function submit(core: Core, request: Visit): Promise<PageAnswer> {
  const submitted = await core.forms.submit(resetPasswordForm(core), request)
  if (!submitted.ok) return shown(core, request, submitted.form)
  const byCode = core.settings.account.passwordResetByCodeEnabled
  const name = byCode ? 'account_confirm_password_reset_code' : 'account_reset_password_done'
  return { kind: 'redirect', to: withNext(core.url(name), request.next) }
}

const shown = async (core: Core, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/password_reset',
  context: { ...(await entranceContext(core, request)), ...nextContext(request), form, password_reset_form: form },
  form,
})

/** A page that only tells something. */
export const noticePage = (core: Core, page: { name: string; path: string; template: string }): PageRoute => ({
  name: page.name,
  path: page.path,
  access: 'anon',
  GET: async (request) => ({ kind: 'page', template: page.template, context: await entranceContext(core, request) }),
})

/** The page where a new password is chosen. `token_fail`: the link is not good, and there is no form. */
export async function newPasswordPage(
  core: Core,
  request: Visit,
  page: { readonly form: BoundForm; readonly actionUrl: string } | null,
): Promise<PageAnswer> {
  const context = { ...(await entranceContext(core, request)), ...nextContext(request) }
  const template = 'account/password_reset_from_key'
  if (page === null) {
    const status = request.client === 'xhr' ? 400 : 200
    return { kind: 'page', template, context: { ...context, token_fail: true }, status }
  }
  const { form, actionUrl } = page
  return { kind: 'page', template, context: { ...context, form, action_url: actionUrl }, form }
}
