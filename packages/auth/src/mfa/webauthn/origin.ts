import type { Core } from '../../core.ts'
import { isOrigin } from '../../http/csrf.ts'
import type { AuthRequest } from '../../request.ts'

/**
 * Whether a page of this origin may ask for our credentials: the one that was visited, and those whose forms are taken.
 * @see W3C, "Web Authentication" Level 3, 13.4.9
 */
export function isOwnOrigin(core: Core, request: AuthRequest, origin: string): boolean {
  if (core.settings.mfa.webauthnAllowInsecureOrigin) return true
  return [request.url.origin, ...core.settings.csrfTrustedOrigins].some((known) => isOrigin(known, origin))
}
