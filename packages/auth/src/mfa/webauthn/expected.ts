import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { isOwnOrigin } from './origin.ts'
import type { Expected } from './verify.ts'

/** What an answer to a question must say. */
export const expectedOf = (
  core: Core,
  request: Visit,
  question: Pick<Expected, 'challenge' | 'userVerification'>,
): Expected => ({
  ...question,
  rpId: core.mfa.adapter.getPublicKeyCredentialRpEntity(request).id,
  isOrigin: (origin) => isOwnOrigin(core, request, origin),
})

/** Whatever is wrong with a credential looks the same. */
export const wrongCredential = (core: Core): InvalidInput =>
  new InvalidInput([core.adapter.validationError('incorrect_code', { param: 'credential' })])
