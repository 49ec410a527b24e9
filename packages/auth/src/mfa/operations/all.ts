import type { ApiResource } from '../../kernel/operations/operation.ts'
import type { Mfa } from '../second-factors.ts'
import { mfaAuthenticateResources, trustResources } from './mfa-authenticate.ts'
import { webauthnLoginResources, webauthnSignupResources, webauthnResources } from './webauthn.ts'
import { authenticatorsResources, totpResources, recoveryCodesResources } from './authenticators.ts'

/** Returns the operations that second factors add to the JSON API under these settings. */
export const mfaResources = (mfa: Mfa): readonly ApiResource[] => [
  ...mfaAuthenticateResources(mfa),
  ...trustResources(mfa),
  ...webauthnLoginResources(mfa),
  ...webauthnSignupResources(mfa),
  ...authenticatorsResources(mfa),
  ...totpResources(mfa),
  ...recoveryCodesResources(mfa),
  ...webauthnResources(mfa),
]
