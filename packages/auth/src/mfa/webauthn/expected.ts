import type { Mfa } from '../second-factors.ts'
import type { Account } from '../../account/account.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { isOwnOrigin } from './origin.ts'
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
