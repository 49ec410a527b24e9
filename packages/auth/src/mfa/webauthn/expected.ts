import type { Account } from '../../account/account.ts'
import { InvalidInput } from '../../errors.ts'
import { isOrigin } from '../../kernel/http/csrf.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Mfa } from '../second-factors.ts'
import type { Expected } from './verify.ts'

/** Returns the expected values of a WebAuthn response. */
export const buildExpected = (
  mfa: Mfa,
  request: Visit,
  question: Pick<Expected, 'challenge' | 'userVerification'>,
): Expected => ({
  ...question,
  rpId: mfa.adapter.getPublicKeyCredentialRpEntity(request).id,
  isOrigin: (origin) => isOwnOrigin(request, origin),
})

/** Whatever is wrong with a credential looks the same. */
export const wrongCredential = (account: Account): InvalidInput =>
  new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'credential' })])

/**
 * Returns whether a page of this origin may use the site's credentials: the visited origin and the trusted ones.
 * @see W3C, "Web Authentication" Level 3, 13.4.9
 */
function isOwnOrigin(request: Visit, origin: string): boolean {
  if (request.kernel.settings.mfa.webauthnAllowInsecureOrigin) return true
  return [request.url.origin, ...request.kernel.settings.csrfTrustedOrigins].some((known) => isOrigin(known, origin))
}
