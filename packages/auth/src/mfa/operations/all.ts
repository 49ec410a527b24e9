import type { ApiResource } from '../../kernel/operations/operation.ts'
import type { Mfa } from '../second-factors.ts'
import { mfaAuthenticateResources } from './mfa-authenticate.ts'
import { trustResources } from './trust.ts'
import { webauthnLoginResources } from './webauthn-login.ts'
import { webauthnSignupResources } from './webauthn-signup.ts'
import { authenticatorsResources } from './authenticators.ts'
import { totpResources } from './totp.ts'
import { recoveryCodesResources } from './recovery-codes.ts'
import { webauthnResources } from './webauthn.ts'

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
