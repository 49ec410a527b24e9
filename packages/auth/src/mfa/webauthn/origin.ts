import { isOrigin } from '../../kernel/http/csrf.ts'
import type { Visit } from '../../kernel/visit.ts'

/**
 * Whether a page of this origin may ask for our credentials: the one that was visited, and those whose forms are taken.
 * @see W3C, "Web Authentication" Level 3, 13.4.9
 */
export function isOwnOrigin(request: Visit, origin: string): boolean {
  if (request.kernel.settings.mfa.webauthnAllowInsecureOrigin) return true
  return [request.url.origin, ...request.kernel.settings.csrfTrustedOrigins].some((known) => isOrigin(known, origin))
}
