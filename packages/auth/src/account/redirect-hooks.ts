import { settingUrl } from '../kernel/http/next.ts'
import type { Account } from './account.ts'
import { xhrForm } from '../kernel/http/form-view.ts'
import { jsonResponse } from '../kernel/http/json-response.ts'
import { isSafeUrl } from '../kernel/http/safe-url.ts'
import type { Visit } from '../kernel/visit.ts'
import type { RedirectHooks } from './adapter.ts'
import { textContext } from './text-context.ts'

/** The redirects that are not about passwords. */
export const redirectHooks = (
  account: Account,
): Omit<RedirectHooks, 'getPasswordChangeRedirectUrl' | 'getResetPasswordFromKeyUrl'> => ({
  getSignupRedirectUrl: () => settingUrl(account.kernel, account.kernel.settings.account.signupRedirectUrl),
  getLoginRedirectUrl: () => settingUrl(account.kernel, account.kernel.settings.loginRedirectUrl),
  getLogoutRedirectUrl: () => settingUrl(account.kernel, account.kernel.settings.account.logoutRedirectUrl),
  isSafeUrl: (request, url) => isSafeUrl(url, request.url, account.kernel.settings),
  respondUserInactive: () => account.kernel.url('account_inactive'),
  respondEmailVerificationSent: () => account.kernel.url('account_email_verification_sent'),
  addMessage: (request, level, template, context = {}) => addMessage(account, request, { level, template, context }),
  isAjax: (request) =>
    request.headers.get('x-requested-with') === 'XMLHttpRequest' ||
    /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '') ||
    request.headers.get('accept') === 'application/json',
  ajaxResponse: (request, { status, redirectTo, form, html, data }) =>
    jsonResponse(
      {
        location: redirectTo,
        form: form === undefined ? undefined : account.adapter.ajaxResponseForm(request, form),
        html,
        data,
      },
      status,
    ),
  ajaxResponseForm: (request, form) => xhrForm(form, request.t),
})

interface Told {
  readonly level: Parameters<Visit['addMessage']>[0]
  readonly template: string
  readonly context: Readonly<Record<string, unknown>>
}

/** JSON has no next page. A template that is blank or not there says nothing. */
async function addMessage(account: Account, request: Visit, { level, template, context }: Told): Promise<void> {
  if (request.client === 'browser' || request.client === 'app') return
  const text = await account.kernel.templates.text(
    template,
    { ...textContext(account, request), ...context },
    request.t,
  )
  const line = (text ?? '').replaceAll(/\s+/g, ' ').trim()
  if (line !== '') request.addMessage(level, line)
}
