import type { Kernel } from '../kernel/kernel.ts'
import { generateCode } from '../kernel/crypto/codes.ts'
import type { CodeHooks } from './adapter.ts'

/** Codes that people type, each in the form of its setting. */
export const codeHooks = (kernel: Kernel): CodeHooks => ({
  generateLoginCode: () => generateCode(kernel.settings.account.loginByCodeFormat, kernel.random),
  generatePasswordResetCode: () => generateCode(kernel.settings.account.passwordResetByCodeFormat, kernel.random),
  generateEmailVerificationCode: () =>
    generateCode(kernel.settings.account.emailVerificationByCodeFormat, kernel.random),
  generatePhoneVerificationCode: () => generateCode(kernel.settings.account.phoneVerificationCodeFormat, kernel.random),
})
