import type { Database } from '@gatepost/sql'
import type { Artifacts } from './artifacts/artifacts.ts'
import type { Sealer, Signer } from './crypto/crypto.ts'
import type { Clock, Log, RandomBytes } from './io.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import type { MailQueue } from './mail/mail.ts'
import type { Passwords } from './passwords/passwords.ts'
import type { AuthTables } from './schema/tables.ts'
import type { SessionStore } from './sessions/session.ts'
import type { AuthSettings } from './settings/settings.ts'
import type { SignalBus } from './signals.ts'
import type { Templates } from './templates/templates.ts'
import type { Translations } from './templates/translations.ts'
import type { UserStore } from './users/user.ts'

/** Shared services of all modules, available on every visit. Knows no module. */
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
  readonly limits: RateLimits
  readonly artifacts: Artifacts
  readonly mail: MailQueue
  readonly templates: Templates
  readonly translations: Translations
  readonly signals: SignalBus
  /** Path below which a proxy shows the site, without a slash at its end; empty at the root. */
  readonly mount: string
  /** Returns the path of a page by its reverse name. @throws {Error} for a name that no module has */
  url(name: string, params?: Readonly<Record<string, string>>): string
  /** Returns whether a page of this name is mounted under these settings. */
  has(name: string): boolean
}
