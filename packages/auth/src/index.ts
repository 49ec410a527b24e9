export type {
  AccountAdapter,
  AccountAdapterInput,
  Credentials,
} from './account/adapter.ts'
export type { EmailAddress } from './account/email-address.ts'
export type { Login, LoginOutcome, LoginStage } from './kernel/login.ts'
export { type AdoptionReport, checkDatabase } from './adoption/check-database.ts'
export type { Accounts } from './account/accounts.ts'
export type { Flows } from './account/flows.ts'
export { type Auth, createAuth, type HostedAuth } from './auth.ts'
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
  FormOverride,
  FormValues,
  SignupForm,
} from './kernel/forms/form.ts'
export type { From, Guarded, Guards, UnverifiedOptions } from './account/guards.ts'
export type { PageAnswer } from './kernel/http/route.ts'
export type { PageRoute } from './kernel/http/route.ts'
export type { Identity } from './kernel/identity.ts'
export type { Clock, Log, RandomBytes } from './kernel/io.ts'
export { type MailMessage, MailRefused, type MailTransport } from './kernel/mail/mail.ts'
export type { AuthOptions } from './options.ts'
export type { Visit, Site } from './kernel/visit.ts'
export type { AuthTables } from './kernel/schema/tables.ts'
export { pwnedPasswords } from './kernel/passwords/pwned-passwords.ts'
export { settingsFromEnvironment, settingsFromNames } from './kernel/settings/names.ts'
export { SETTING_TABLE, type SettingRow } from './kernel/settings/setting-table.ts'
export { type AuthSettings, type AuthSettingsInput, resolveSettings } from './kernel/settings/settings.ts'
export type { AuthSignals, FormId, FormOverrides, SignalName } from './compose.ts'
export type { SignalSender, Signals } from './kernel/signals.ts'
export type { NewUser, User, UserId } from './kernel/users/user.ts'
