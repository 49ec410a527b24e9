import type { Adapters, FormOverrides } from './compose.ts'
import type { Database } from '@gatepost/sql'
import type { Account } from './account/account.ts'
import type { ConnectedKernel, OidcOptions } from './kernel/module.ts'
import type { SignupForm } from './kernel/forms/form.ts'
import type { PageRoute } from './kernel/http/route.ts'
import type { Clock, Log, RandomBytes } from './kernel/io.ts'
import type { MailTransport } from './kernel/mail/mail.ts'
import type { AuthSettingsInput } from './kernel/settings/settings.ts'

/** What pages of a host are made with. */
export interface HostParts {
  readonly kernel: ConnectedKernel
  readonly account: Account
}

/** What `createAuth` is made from. */
export interface AuthOptions<Tables> {
  /** Of `openDatabase` (`@gatepost/sql`); other tables may be in it. Its account tables are brought up to date. */
  readonly database: Database<Tables>
  /** At least 32 characters nobody can guess. Of several the first one signs and seals, the others are still taken. */
  readonly secretKey: string | readonly [string, ...string[]]
  /** Where visitors reach the server, e.g. `https://id.example.org`. Unset: loopback and `allowedHosts` only. */
  readonly origin?: string
  /** What differs from the defaults; `settingsFromNames` makes it from upper-case names. */
  readonly settings?: AuthSettingsInput
  /** Hooks of the host, by module. */
  readonly adapters?: Adapters
  /** Of our OpenID Connect provider. */
  readonly oidc?: OidcOptions & {
    /**
     * Path in front of the addresses of the protocol and of its issuer, without a slash at its end: where a proxy shows the site
     * below a path. Requests arrive with it. Default: none.
     */
    readonly mount?: string
  }
  /** By form id: more fields, more rules, another `save`. */
  readonly forms?: FormOverrides
  /** Extra fields that every sign-up requires, and how to store them. */
  readonly signupForm?: SignupForm
  readonly templates?: {
    /** Folders whose files win over the package's; the first one wins over the others. */
    readonly folders?: readonly string[]
    /** Reloads the templates for every page, for development. */
    readonly reload?: boolean
  }
  /** Translations by language, e.g. `{ nl: { 'Sign in': 'Inloggen' } }`. */
  readonly translations?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** How mail leaves. Unset: by the settings of mail. */
  readonly mail?: MailTransport
  /** Whether a password is on a list of stolen ones; see `pwnedPasswords`. */
  readonly isBreached?: (password: string) => Promise<boolean>
  /** More pages inside the frame of the package: session, CSRF, templates. */
  readonly pages?: (parts: HostParts) => readonly PageRoute[]
  readonly clock?: Clock
  readonly random?: RandomBytes
  /** Default: warnings and errors as JSON lines on stderr. */
  readonly log?: Log
}
