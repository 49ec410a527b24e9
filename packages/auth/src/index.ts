export type {
  AccountAdapter,
  AccountAdapterInput,
  Credentials,
} from './account/adapter.ts'
export type { EmailAddress } from './account/email-address.ts'
export type { Login, LoginOutcome, LoginStage } from './account/login.ts'
export { type AdoptionReport, checkDatabase } from './adoption/check-database.ts'
export type { Accounts } from './account/accounts.ts'
export type { Flows } from './account/flows.ts'
export { type Auth, createAuth } from './auth.ts'
export type { Core } from './core.ts'
export {
  AUTH_ERRORS,
  AuthError,
  type AuthErrorCode,
  ImmediateResponse,
  type InputError,
  InvalidInput,
} from './errors.ts'
export type {
  BoundForm,
  Field,
  FormDefinition,
  FormId,
  FormOverride,
  FormValues,
  SignupForm,
} from './forms/form.ts'
export type { FormOverrides } from './forms/form-results.ts'
export type { From, Guarded, Guards, UnverifiedOptions } from './guards.ts'
export type { PageAnswer } from './http/answer.ts'
export type { PageRoute } from './http/route.ts'
export type { Identity } from './identity.ts'
export type { Clock, Log, RandomBytes } from './io.ts'
export { type MailMessage, MailRefused, type MailTransport } from './mail/mail.ts'
export type { AuthOptions } from './options.ts'
export type { AuthRequest, Site } from './request.ts'
export type { AuthTables } from './schema/tables.ts'
export { pwnedPasswords } from './passwords/pwned-passwords.ts'
export { settingsFromEnvironment, settingsFromNames } from './settings/names.ts'
export { SETTING_TABLE, type SettingRow } from './settings/setting-table.ts'
export { type AuthSettings, type AuthSettingsInput, resolveSettings } from './settings/settings.ts'
export type { AuthSignals, SignalName, SignalSender, Signals } from './signals.ts'
export type { NewUser, User, UserId } from './users/user.ts'
