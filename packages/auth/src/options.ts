import type { Adapters, FormOverrides } from './compose.ts'
import type { Database } from '@gatepost/sql'
import type { Account } from './account/account.ts'
import type { ConnectedKernel, OidcOptions } from './kernel/module.ts'
import type { SignupForm } from './kernel/forms/form.ts'
import type { PageRoute } from './kernel/http/route.ts'
import type { Clock, Log, RandomBytes } from './kernel/io.ts'
import type { MailTransport } from './kernel/mail/mail.ts'
import type { AuthSettingsInput } from './kernel/settings/settings.ts'

/** The input for creating a host's own pages. */
export interface HostParts {
  readonly kernel: ConnectedKernel
  readonly account: Account
}

/** The options of `createAuth`. */
export interface AuthOptions<Tables> {
  /**
   * A database opened with `openDatabase` (`@gatepost/sql`). It may contain other tables. Its account tables are
   * migrated.
   */
  readonly database: Database<Tables>
  /**
   * A secret of at least 32 random characters. If there are several, the first one signs and seals, and the others are
   * still accepted.
   */
  readonly secretKey: string | readonly [string, ...string[]]
  /**
   * The server's public origin, e.g. `https://id.example.org`. If unset, only loopback hosts and `allowedHosts` are
   * served.
   */
  readonly origin?: string
  /** The settings that differ from the defaults. `settingsFromNames` creates them from upper-case names. */
  readonly settings?: AuthSettingsInput
  /** The host's hooks, by module. */
  readonly adapters?: Adapters
  /** Options of our OpenID Connect provider. */
  readonly oidc?: OidcOptions & {
    /**
     * Path that a proxy serves the site under, without a trailing slash, if requests arrive with it. It's part of the
     * issuer and of the protocol's paths. Default: none.
     */
    readonly mount?: string
  }
  /** Overrides by form ID, which can add fields and rules or replace `save`. */
  readonly forms?: FormOverrides
  /** Additional signup fields, and how to store them. */
  readonly signupForm?: SignupForm
  readonly templates?: {
    /** Folders with templates that override the package's, in search order. */
    readonly folders?: readonly string[]
    /** Reloads the templates for every page, for development. */
    readonly reload?: boolean
  }
  /** Translations by language, e.g. `{ nl: { 'Sign in': 'Inloggen' } }`. */
  readonly translations?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** How mail is sent. If unset, as in the mail settings. */
  readonly mail?: MailTransport
  /** Returns whether a password has appeared in a data breach; see `pwnedPasswords`. */
  readonly isBreached?: (password: string) => Promise<boolean>
  /** Creates additional pages with the package's sessions, CSRF protection, and templates. */
  readonly pages?: (parts: HostParts) => readonly PageRoute[]
  readonly clock?: Clock
  readonly random?: RandomBytes
  /** Default: warnings and errors as JSON lines on stderr. */
  readonly log?: Log
}
