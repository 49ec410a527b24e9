import type { Kernel } from '../kernel.ts'
import type { AuthSettings } from '../settings/settings.ts'
import type { Visit } from '../visit.ts'

/** The field that carries the redirect target from page to page. */
export const NEXT_FIELD = 'next'

/** Returns the path and query of the current page. */
export const currentPath = ({ url }: Visit): string => `${url.pathname}${url.search}`

/** Returns `url` with `next` added to its query, unless it's `null`. */
export function withNext(url: string, next: string | null): string {
  if (next === null) return url
  return `${url}${url.includes('?') ? '&' : '?'}${NEXT_FIELD}=${encodeURIComponent(next).replaceAll('%2F', '/')}`
}

/** Returns the URL for a setting that contains a path, a URL, or a page name. */
export const settingUrl = (kernel: Pick<Kernel, 'has' | 'url'>, setting: string): string =>
  kernel.has(setting) ? kernel.url(setting) : setting

/** The settings with redirect targets: upper-case names, and paths, URLs, or page names. */
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
 * Returns problems with settings that name an unknown page: a browser would treat the name as a relative path. Sites
 * migrated from Django may have page names of their own.
 * @param pages The names of all pages.
 */
export const unknownPages = (settings: AuthSettings, pages: ReadonlySet<string>): readonly string[] =>
  redirectSettings(settings).flatMap(([name, target]) =>
    target === null || /^(?:\/|https?:\/\/)/.test(target) || pages.has(target)
      ? []
      : [`${name} isn't the name of a page of this package. Enter a path instead of ${target}.`],
  )
