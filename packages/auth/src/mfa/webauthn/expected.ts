import type { Account } from '../../account/account.ts'
import { InvalidInput } from '../../errors.ts'
import { isOrigin } from '../../kernel/http/csrf.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Mfa } from '../second-factors.ts'
import type { Expected } from './verify.ts'

/** What an answer to a question must say. */
export const expectedOf = (
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
 * Whether a page of this origin may ask for our credentials: the one that was visited, and those whose forms are taken.
 * @see W3C, "Web Authentication" Level 3, 13.4.9
 */
function isOwnOrigin(request: Visit, origin: string): boolean {
  if (request.kernel.settings.mfa.webauthnAllowInsecureOrigin) return true
  return [request.url.origin, ...request.kernel.settings.csrfTrustedOrigins].some((known) => isOrigin(known, origin))
}
