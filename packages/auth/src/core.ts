import type { Database } from '@gatepost/sql'
import type { AccountAdapter } from './account/adapter.ts'
import type { EmailAddressStore, EmailConfirmationStore, PhoneStore } from './account/email-address.ts'
import type { LoginFlow } from './account/login.ts'
import type { Artifacts } from './kernel/artifacts/artifacts.ts'
import type { Sealer, Signer } from './kernel/crypto/crypto.ts'
import type { Forms, SignupForm } from './kernel/forms/form.ts'
import type { Headless } from './headless/headless.ts'
import type { Oidc } from './oidc/oidc.ts'
import type { Clock, Log, RandomBytes } from './kernel/io.ts'
import type { MailQueue } from './kernel/mail/mail.ts'
import type { SecondFactors } from './mfa/second-factors.ts'
import type { Passwords } from './kernel/passwords/passwords.ts'
import type { RateLimits } from './kernel/limits/rate-limits.ts'
import type { AuthTables } from './kernel/schema/tables.ts'
import type { SessionStore } from './kernel/sessions/session.ts'
import type { AuthSettings } from './kernel/settings/settings.ts'
import type { Signals } from './signals.ts'
import type { SocialAccounts } from './social/social-accounts.ts'
import type { Templates, Translations } from './kernel/templates/templates.ts'
import type { UserStore } from './kernel/users/user.ts'
import type { UserSessions } from './sessions/user-session.ts'

/** Everything that flows and pages are made from; `auth.ts` puts it together. */
export interface Core {
  readonly settings: AuthSettings
  readonly database: Database<AuthTables>
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  readonly users: UserStore
  readonly emails: EmailAddressStore
  readonly confirmations: EmailConfirmationStore
  readonly phones: PhoneStore
  readonly sessions: SessionStore
  readonly passwords: Passwords
  readonly signer: Signer
  readonly sealer: Sealer
  readonly limits: RateLimits
  readonly artifacts: Artifacts
  readonly mail: MailQueue
  readonly templates: Templates
  readonly translations: Translations
  readonly signals: Signals
  readonly forms: Forms
  /** The host's own part of every sign-up. */
  readonly signupForm: SignupForm | null
  /** The host's hooks over the defaults. */
  readonly adapter: AccountAdapter
  readonly login: LoginFlow
  readonly mfa: SecondFactors
  readonly userSessions: UserSessions
  readonly headless: Headless
  readonly social: SocialAccounts
  readonly oidc: Oidc
  /** Path of a page by its reverse name. @throws {Error} for a name that no module has */
  url(name: string, params?: Readonly<Record<string, string>>): string
  /** Whether a page of this name is mounted under these settings. */
  has(name: string): boolean
}
