import type { Core } from '../core.ts'
import { xhrForm } from '../kernel/http/form-view.ts'
import { jsonResponse } from '../kernel/http/json-response.ts'
import { isSafeUrl } from '../kernel/http/safe-url.ts'
import type { Visit } from '../kernel/visit.ts'
import type { RedirectHooks } from './adapter.ts'
import { settingUrl } from './email/setting-url.ts'
import { textContext } from './text-context.ts'

/** The redirects that are not about passwords. */
export const redirectHooks = (
  core: () => Core,
): Omit<RedirectHooks, 'getPasswordChangeRedirectUrl' | 'getResetPasswordFromKeyUrl'> => ({
  getSignupRedirectUrl: () => settingUrl(core(), core().settings.account.signupRedirectUrl),
  getLoginRedirectUrl: () => settingUrl(core(), core().settings.loginRedirectUrl),
  getLogoutRedirectUrl: () => settingUrl(core(), core().settings.account.logoutRedirectUrl),
  isSafeUrl: (request, url) => isSafeUrl(url, request.url, core().settings),
  respondUserInactive: () => core().url('account_inactive'),
  respondEmailVerificationSent: () => core().url('account_email_verification_sent'),
  addMessage: (request, level, template, context = {}) => addMessage(core(), request, { level, template, context }),
  isAjax: (request) =>
    request.headers.get('x-requested-with') === 'XMLHttpRequest' ||
    /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '') ||
    request.headers.get('accept') === 'application/json',
  ajaxResponse: (request, { status, redirectTo, form, html, data }) =>
    jsonResponse(
      {
        location: redirectTo,
        form: form === undefined ? undefined : core().adapter.ajaxResponseForm(request, form),
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
async function addMessage(core: Core, request: Visit, { level, template, context }: Told): Promise<void> {
  if (request.client === 'browser' || request.client === 'app') return
  const text = await core.templates.text(template, { ...textContext(core, request), ...context }, request.t)
  const line = (text ?? '').replaceAll(/\s+/g, ' ').trim()
  if (line !== '') request.addMessage(level, line)
}
