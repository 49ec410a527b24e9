import type { Database } from '@gatepost/sql'
import type { Artifacts } from './artifacts/artifacts.ts'
import type { Sealer, Signer } from './crypto/crypto.ts'
import type { Clock, Log, RandomBytes } from './io.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import type { MailQueue } from './mail/mail.ts'
import type { Passwords } from './passwords/passwords.ts'
import type { OldSite } from './schema/adopted.sql.ts'
import type { AuthTables } from './schema/tables.ts'
import type { SessionStore } from './sessions/session.ts'
import type { AuthSettings } from './settings/settings.ts'
import type { SignalBus } from './signals.ts'
import type { Templates } from './templates/templates.ts'
import type { Translations } from './templates/translations.ts'
import type { UserStore } from './users/user.ts'

/** The services shared by all modules, available on every visit. Doesn't know the modules. */
export interface Kernel {
  readonly settings: AuthSettings
  readonly database: Database<AuthTables>
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  readonly users: UserStore
  readonly sessions: SessionStore
  readonly passwords: Passwords
  readonly signer: Signer
  readonly sealer: Sealer
  readonly oldSite: OldSite
  readonly limits: RateLimits
  readonly artifacts: Artifacts
  readonly mail: MailQueue
  readonly templates: Templates
  readonly translations: Translations
  readonly signals: SignalBus
  /** Path that a proxy serves the site under, without a trailing slash; empty at the root. */
  readonly mount: string
  /** Returns the path of a page by its reverse name. @throws {Error} if no module has a page with this name */
  url(name: string, params?: Readonly<Record<string, string>>): string
  /** Returns whether a page with this name is mounted with the current settings. */
  has(name: string): boolean
}
