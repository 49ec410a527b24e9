import { codeFormat, flag, nullable, seconds, times, wholeNumber } from '../kind.ts'
import { HOST } from './host.ts'
import { setting } from '../setting.ts'

/** Passwords and phone numbers: `ACCOUNT_…`. */
export const ACCOUNT_PASSWORD = {
  loginOnPasswordReset: setting({
    name: 'ACCOUNT_LOGIN_ON_PASSWORD_RESET',
    kind: flag,
    fallback: false,
    about: 'Starts a sign-in with all its stages after a password reset.',
  }),
  logoutOnPasswordChange: setting({
    name: 'ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE',
    kind: flag,
    fallback: false,
    about: 'Signs the user out after a password change.',
  }),
  passwordInputRenderValue: setting({
    name: 'ACCOUNT_PASSWORD_INPUT_RENDER_VALUE',
    kind: flag,
    fallback: false,
    about: 'Puts a rejected password back into the form. Keep this off.',
  }),
  passwordMinLength: setting({
    name: 'ACCOUNT_PASSWORD_MIN_LENGTH',
    kind: wholeNumber(1, 128),
    fallback: 6,
    about: 'Minimum password length if AUTH_PASSWORD_VALIDATORS is an empty list.',
  }),
  passwordResetByCodeEnabled: setting({
    name: 'ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Resets passwords by code instead of by link.',
  }),
  passwordResetByCodeFormat: setting({
    name: 'ACCOUNT_PASSWORD_RESET_BY_CODE_FORMAT',
    aliases: ['ACCOUNT_PASSWORD_RESET_BY_CODE_CODE_FORMAT'],
    kind: codeFormat,
    fallback: (get) => get(HOST.userCodeFormat),
    fallbackText: 'GATEPOST_USER_CODE_FORMAT',
    about: 'Format of the code.',
  }),
  passwordResetByCodeMaxAttempts: setting({
    name: 'ACCOUNT_PASSWORD_RESET_BY_CODE_MAX_ATTEMPTS',
    kind: wholeNumber(1, 20),
    fallback: 3,
    about: 'Number of wrong codes after which the reset ends.',
  }),
  passwordResetByCodeTimeout: setting({
    name: 'ACCOUNT_PASSWORD_RESET_BY_CODE_TIMEOUT',
    kind: seconds(1, 86_400),
    fallback: 180,
    about: 'Lifetime of the code, in seconds.',
  }),
  passwordStrength: setting({
    name: 'ACCOUNT_PASSWORD_STRENGTH',
    kind: nullable(wholeNumber(0, 4)),
    fallback: null,
    about: 'Minimum zxcvbn score of a new password, 0 to 4. null: not checked.',
  }),
  phoneVerificationCodeFormat: setting({
    name: 'ACCOUNT_PHONE_VERIFICATION_CODE_FORMAT',
    kind: codeFormat,
    fallback: (get) => get(HOST.userCodeFormat),
    fallbackText: 'GATEPOST_USER_CODE_FORMAT',
    about: 'Format of codes in text messages, including sign-in codes.',
  }),
  phoneVerificationEnabled: setting({
    name: 'ACCOUNT_PHONE_VERIFICATION_ENABLED',
    kind: flag,
    fallback: true,
    about: 'Requires phone numbers to be verified at sign-in and sign-up.',
  }),
  phoneVerificationMaxAttempts: setting({
    name: 'ACCOUNT_PHONE_VERIFICATION_MAX_ATTEMPTS',
    kind: wholeNumber(1, 20),
    fallback: 3,
    about: 'Number of wrong codes after which the step ends.',
  }),
  phoneVerificationSupportsChange: setting({
    name: 'ACCOUNT_PHONE_VERIFICATION_SUPPORTS_CHANGE',
    kind: times,
    fallback: 0,
    about: 'How often the number can be changed during the step. true means 2.',
  }),
  phoneVerificationSupportsResend: setting({
    name: 'ACCOUNT_PHONE_VERIFICATION_SUPPORTS_RESEND',
    kind: times,
    fallback: 0,
    about: 'How often another code can be requested. true means 2.',
  }),
  phoneVerificationTimeout: setting({
    name: 'ACCOUNT_PHONE_VERIFICATION_TIMEOUT',
    kind: seconds(1, 86_400),
    fallback: 900,
    about: 'Time limit for the step, in seconds.',
  }),
}
