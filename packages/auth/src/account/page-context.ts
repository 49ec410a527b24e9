import type { Core } from '../core.ts'
import type { Visit } from '../kernel/visit.ts'

/** Field that carries where to go afterwards from page to page. */
const NEXT_FIELD = 'next'

/** The page itself, with its query. */
export const here = ({ url }: Visit): string => `${url.pathname}${url.search}`

/** `url` with `next` in its query, when there is one. */
export function withNext(url: string, next: string | null): string {
  if (next === null) return url
  return `${url}${url.includes('?') ? '&' : '?'}${NEXT_FIELD}=${encodeURIComponent(next).replaceAll('%2F', '/')}`
}

/** Path of a page of ours; `null` when these settings do not have it. */
const urlIfAny = (core: Core, name: string): string | null => (core.has(name) ? core.url(name) : null)

/** What every page before the login has in its context: context E of section 6.5.3. Its links carry `next` on. */
export async function entranceContext(core: Core, request: Visit): Promise<Readonly<Record<string, unknown>>> {
  const { account, socialaccount } = core.settings
  const link = (name: string): string | null => {
    const url = urlIfAny(core, name)
    return url === null ? null : withNext(url, request.next)
  }
  return {
    signup_url: (await core.adapter.isOpenForSignup(request)) ? link('account_signup') : null,
    login_url: link('account_login'),
    signup_by_passkey_url: link('account_signup_by_passkey'),
    request_login_code_url: account.loginByCodeEnabled ? link('account_request_login_code') : null,
    site: request.site,
    SOCIALACCOUNT_ENABLED: socialaccount.enabled,
    SOCIALACCOUNT_ONLY: socialaccount.only,
    LOGIN_BY_CODE_ENABLED: account.loginByCodeEnabled,
    PASSKEY_LOGIN_ENABLED: core.has('mfa_login_webauthn'),
    PASSKEY_SIGNUP_ENABLED: core.has('account_signup_by_passkey'),
  }
}

/** What pages that pass `next` on have in their context: context N. `redirect_field` is markup, escaped already. */
export function nextContext(request: Visit): Readonly<Record<string, unknown>> {
  return {
    redirect_field_name: NEXT_FIELD,
    redirect_field_value: request.next ?? '',
    redirect_field:
      request.next === null ? '' : `<input type="hidden" name="${NEXT_FIELD}" value="${escaped(request.next)}">`,
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
