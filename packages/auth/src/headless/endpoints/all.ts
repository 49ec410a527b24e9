import type { Core } from '../../core.ts'
import type { ApiModule, ApiResource } from '../endpoint.ts'
import { authenticatorsResources } from './authenticators.ts'
import { configResources } from './config.ts'
import { emailVerificationResources } from './email-verification.ts'
import { emailResources } from './email.ts'
import { loginCodeResources } from './login-code.ts'
import { loginResources } from './login.ts'
import { mfaAuthenticateResources } from './mfa-authenticate.ts'
import { passwordChangeResources } from './password-change.ts'
import { passwordResetResources } from './password-reset.ts'
import { phoneVerificationResources } from './phone-verification.ts'
import { phoneResources } from './phone.ts'
import { providersResources } from './providers.ts'
import { reauthenticationResources } from './reauthentication.ts'
import { recoveryCodesResources } from './recovery-codes.ts'
import { sessionResources } from './session.ts'
import { sessionsResources } from './sessions.ts'
import { signupResources } from './signup.ts'
import { tokenResources } from './tokens.ts'
import { totpResources } from './totp.ts'
import { trustResources } from './trust.ts'
import { webauthnLoginResources } from './webauthn-login.ts'
import { webauthnSignupResources } from './webauthn-signup.ts'
import { webauthnResources } from './webauthn.ts'

/** A module that brings endpoints has its line here. */
const MODULES: readonly ApiModule[] = [
  configResources,
  sessionResources,
  loginResources,
  signupResources,
  emailVerificationResources,
  phoneVerificationResources,
  passwordResetResources,
  loginCodeResources,
  reauthenticationResources,
  mfaAuthenticateResources,
  trustResources,
  webauthnLoginResources,
  webauthnSignupResources,
  authenticatorsResources,
  totpResources,
  recoveryCodesResources,
  webauthnResources,
  emailResources,
  phoneResources,
  passwordChangeResources,
  providersResources,
  sessionsResources,
  tokenResources,
]

/** The resources that the settings have. */
export const resourcesOf = (core: Core): readonly ApiResource[] => MODULES.flatMap((resources) => resources(core))
