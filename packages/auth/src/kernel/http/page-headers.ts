import type { AuthSettings } from '../settings/settings.ts'
import { redirectSettings } from './redirect-settings.ts'

/** Default headers of a response, as `name` and `value`. */
type Headers = readonly (readonly [name: string, value: string])[]

const NEVER_STORED = 'max-age=0, no-cache, no-store, must-revalidate, private'

/** Of an answer without a page: no cache keeps it, and no browser takes it for something else. */
export const BARE_HEADERS: Headers = [
  ['cache-control', NEVER_STORED],
  ['vary', 'Cookie, Accept-Language'],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'same-origin'],
]

/** Of every page: closed to caches, frames and scripts of others. @see W3C, "Content Security Policy Level 3" */
export const pageHeaders = (settings: AuthSettings): Headers => [
  ...BARE_HEADERS,
  ['x-frame-options', 'DENY'],
  ['cross-origin-opener-policy', 'same-origin'],
  [POLICY, pagePolicy(settings)],
]

/** The name of the header with the content security policy. */
export const POLICY = 'content-security-policy'

/** @param targets Extra form targets of this page */
export const pagePolicy = (settings: AuthSettings, targets: readonly string[] = []): string =>
  `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action ${[...formTargets(settings), ...targets].join(' ')}`

/** Where a form may lead: browsers refuse what a redirect behind it leads to as well. */
function formTargets(settings: AuthSettings): readonly string[] {
  return [
    ...new Set([
      "'self'",
      ...settings.csrfTrustedOrigins,
      ...settings.allowedHosts.filter((host) => host !== '*').map(toCspSource),
      ...redirectSettings(settings).flatMap(([, url]) =>
        url !== null && URL.canParse(url) ? [new URL(url).origin] : [],
      ),
    ]),
  ]
}

const toCspSource = (host: string): string => (host.startsWith('.') ? `*${host}` : host)
