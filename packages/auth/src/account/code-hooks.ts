import type { Core } from '../core.ts'
import { generateCode } from '../kernel/crypto/codes.ts'
import type { CodeHooks } from './adapter.ts'

/** Codes that people type, each in the form of its setting. */
export const codeHooks = (core: () => Core): CodeHooks => ({
  generateLoginCode: () => generateCode(core().settings.account.loginByCodeFormat, core().random),
  generatePasswordResetCode: () => generateCode(core().settings.account.passwordResetByCodeFormat, core().random),
  generateEmailVerificationCode: () =>
    generateCode(core().settings.account.emailVerificationByCodeFormat, core().random),
  generatePhoneVerificationCode: () => generateCode(core().settings.account.phoneVerificationCodeFormat, core().random),
})
