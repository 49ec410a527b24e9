import type { Core } from '../../core.ts'
import type { ApiModule, ApiResource } from '../endpoint.ts'
import { authenticatorsResources } from './authenticators.ts'
import { mfaAuthenticateResources } from './mfa-authenticate.ts'
import { recoveryCodesResources } from './recovery-codes.ts'
import { totpResources } from './totp.ts'
import { trustResources } from './trust.ts'
import { webauthnLoginResources } from './webauthn-login.ts'
import { webauthnSignupResources } from './webauthn-signup.ts'
import { webauthnResources } from './webauthn.ts'

/** A module that brings endpoints has its line here. */
const MODULES: readonly ApiModule[] = [
  mfaAuthenticateResources,
  trustResources,
  webauthnLoginResources,
  webauthnSignupResources,
  authenticatorsResources,
  totpResources,
  recoveryCodesResources,
  webauthnResources,
]

/** The resources that the settings have. */
export const resourcesOf = (core: Core): readonly ApiResource[] => MODULES.flatMap((resources) => resources(core))
