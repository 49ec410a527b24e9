import { NEXT_FIELD, withNext } from '../kernel/http/redirects.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Account } from './account.ts'
import type { Visit } from '../kernel/visit.ts'

/** Returns the path of a page, or `null` if the settings don't enable it. */
const urlIfAny = (kernel: Kernel, name: string): string | null => (kernel.has(name) ? kernel.url(name) : null)

/** Returns the template context of all pages before login (context E of section 6.5.3). Its links pass `next` on. */
export async function entranceContext(account: Account, request: Visit): Promise<Readonly<Record<string, unknown>>> {
  const { account: accountSettings, socialaccount } = account.kernel.settings
  const link = (name: string): string | null => {
    const url = urlIfAny(account.kernel, name)
    return url === null ? null : withNext(url, request.next)
  }
  return {
    signup_url: (await account.adapter.isOpenForSignup(request)) ? link('account_signup') : null,
    login_url: link('account_login'),
    signup_by_passkey_url: link('account_signup_by_passkey'),
    request_login_code_url: accountSettings.loginByCodeEnabled ? link('account_request_login_code') : null,
    site: request.site,
    SOCIALACCOUNT_ENABLED: socialaccount.enabled,
    SOCIALACCOUNT_ONLY: socialaccount.only,
    LOGIN_BY_CODE_ENABLED: accountSettings.loginByCodeEnabled,
    PASSKEY_LOGIN_ENABLED: account.kernel.has('mfa_login_webauthn'),
    PASSKEY_SIGNUP_ENABLED: account.kernel.has('account_signup_by_passkey'),
  }
}

/** Returns the template context of pages that pass `next` on (context N). `redirect_field` is HTML, already escaped. */
export function nextContext(request: Visit): Readonly<Record<string, unknown>> {
  return {
    redirect_field_name: NEXT_FIELD,
    redirect_field_value: request.next ?? '',
    redirect_field:
      request.next === null ? '' : `<input type="hidden" name="${NEXT_FIELD}" value="${escapeUrlText(request.next)}">`,
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeUrlText = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
