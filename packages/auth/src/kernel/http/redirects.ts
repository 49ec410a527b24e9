import type { Kernel } from '../kernel.ts'
import type { AuthSettings } from '../settings/settings.ts'
import type { Visit } from '../visit.ts'

/** Field that carries where to go afterwards from page to page. */
export const NEXT_FIELD = 'next'

/** Returns the path of the page itself, with its query. */
export const currentPath = ({ url }: Visit): string => `${url.pathname}${url.search}`

/** Returns `url` with `next` in its query, when there is one. */
export function withNext(url: string, next: string | null): string {
  if (next === null) return url
  return `${url}${url.includes('?') ? '&' : '?'}${NEXT_FIELD}=${encodeURIComponent(next).replaceAll('%2F', '/')}`
}

/** Returns where a setting leads that holds a path, a URL or the name of a page. */
export const settingUrl = (kernel: Pick<Kernel, 'has' | 'url'>, setting: string): string =>
  kernel.has(setting) ? kernel.url(setting) : setting

/** Where settings lead visitors to: upper-case names, and paths, URLs or names of pages. */
export function redirectSettings({
  account,
  loginUrl,
  loginRedirectUrl,
}: AuthSettings): readonly (readonly [name: string, target: string | null])[] {
  return [
    ['LOGIN_URL', loginUrl],
    ['LOGIN_REDIRECT_URL', loginRedirectUrl],
    ['ACCOUNT_SIGNUP_REDIRECT_URL', account.signupRedirectUrl],
    ['ACCOUNT_LOGOUT_REDIRECT_URL', account.logoutRedirectUrl],
    ['ACCOUNT_EMAIL_CONFIRMATION_ANONYMOUS_REDIRECT_URL', account.emailConfirmationAnonymousRedirectUrl],
    ['ACCOUNT_EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL', account.emailConfirmationAuthenticatedRedirectUrl],
  ]
}

/**
 * Sentences about settings that name a page which is not there: a browser would take the name for a path beside the
 * page it is on. Sites of the older framework have names of their own.
 * @param pages Names of all pages.
 */
export const unknownPages = (settings: AuthSettings, pages: ReadonlySet<string>): readonly string[] =>
  redirectSettings(settings).flatMap(([name, target]) =>
    target === null || /^(?:\/|https?:\/\/)/.test(target) || pages.has(target)
      ? []
      : [`${name} names no page of this package: write the path instead of ${target}.`],
  )
