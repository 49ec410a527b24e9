import type { AnyFormOverrides } from './forms/form.ts'
import type { Database } from '@gatepost/sql'
import { AuthError } from '../errors.ts'
import { sqlArtifacts } from './artifacts/artifacts.sql.ts'
import { createSealer, createSigner } from './crypto/crypto.ts'
import { createForms } from './forms/form-set.ts'
import type { KernelHooks } from './hooks.ts'
import type { RouteTable } from './http/route.ts'
import type { Clock, Log, RandomBytes } from './io.ts'
import type { ConnectedKernel, Contributions } from './module.ts'
import { sqlRateLimits } from './limits/rate-limits.sql.ts'
import type { MailTransport } from './mail/mail.ts'
import { createMailQueue } from './mail/mail-queue.sql.ts'
import { createMailTransport } from './mail/transports.ts'
import { createPasswords } from './passwords/password-service.ts'
import type { AuthTables } from './schema/tables.ts'
import { createSessionStore } from './sessions/session-store.sql.ts'
import type { AuthSettings } from './settings/settings.ts'
import { createSignals } from './signals.ts'
import { createOldSite } from './schema/adopted.sql.ts'
import { createTemplates } from './templates/templates.ts'
import { createTranslations } from './templates/translations.ts'
import { sqlUserStore } from './users/user-store.sql.ts'

/** The inputs of `createKernel`. */
export interface KernelParts {
  readonly settings: AuthSettings
  readonly database: Database<AuthTables>
  readonly secretKey: string | readonly [string, ...string[]]
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  readonly forms: AnyFormOverrides
  readonly templates: { readonly folders?: readonly string[]; readonly reload?: boolean }
  readonly translations: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Path that a proxy serves the site under, without a trailing slash; empty at the root. */
  readonly mount: string
  readonly mail: MailTransport | undefined
  readonly isBreached: ((password: string) => Promise<boolean>) | undefined
}

/** What the kernel gets only after the modules are created. */
export interface Connections {
  readonly hooks: KernelHooks
  readonly modules: readonly Contributions[]
  readonly routes: Pick<RouteTable, 'url' | 'has'>
}

/** A kernel, and the function that connects it to the modules built on it. */
export interface NewKernel {
  readonly kernel: ConnectedKernel
  connect(connections: Connections): void
}

const SECRET_KEY_LENGTH = 32

/** Creates the services shared by all modules. @throws {AuthError} `settings_invalid` if a secret key is too short */
export function createKernel(parts: KernelParts): NewKernel {
  const { settings, database, clock, random, log } = parts
  const keys = secretKeys(parts.secretKey)
  const sealer = createSealer(keys, random)
  const signer = createSigner(keys)
  const users = sqlUserStore({ database, settings, random })
  const transport = parts.mail ?? createMailTransport(settings, { write: (text) => void process.stderr.write(text) })
  let connected: Connections | null = null
  const connections = (): Connections => {
    if (connected === null) throw new Error('the kernel was used before its modules were connected')
    return connected
  }
  const kernel: ConnectedKernel = {
    settings,
    database,
    clock,
    random,
    log,
    users,
    sessions: createSessionStore({ database, settings, signer, sealer, users, random, log }),
    passwords: createPasswords({
      settings,
      random,
      log,
      ...(parts.isBreached === undefined ? {} : { isBreached: parts.isBreached }),
    }),
    signer,
    sealer,
    oldSite: createOldSite(database),
    limits: sqlRateLimits(database, { ...settings.account.rateLimits, ...settings.idpOidc.rateLimits }),
    artifacts: sqlArtifacts(database, sealer),
    mail: createMailQueue({ database, transport, sealer, clock, log, random }),
    templates: createTemplates({ ...parts.templates, extension: settings.account.templateExtension }),
    translations: createTranslations({ languages: orderLanguages(settings), extra: parts.translations }),
    signals: createSignals(log),
    forms: createForms(parts.forms, () => kernel.hooks, settings.account.passwordInputRenderValue),
    mount: parts.mount,
    get hooks() {
      return connections().hooks
    },
    get modules() {
      return connections().modules
    },
    url: (name, params) => connections().routes.url(name, params),
    has: (name) => connections().routes.has(name),
  }
  return {
    kernel,
    connect(given) {
      connected = given
    },
  }
}

/** The first language is the fallback for visitors whose browser accepts none of them. */
const orderLanguages = ({ languageCode, languages }: AuthSettings): readonly string[] => [
  ...new Set([languageCode, ...languages]),
]

/** Returns the keys of the option. @throws {AuthError} `settings_invalid` if one is too short */
export function secretKeys(given: string | readonly [string, ...string[]]): readonly [string, ...string[]] {
  const keys: readonly [string, ...string[]] = typeof given === 'string' ? [given] : given
  if (keys.some((key) => key.length < SECRET_KEY_LENGTH)) {
    throw new AuthError('settings_invalid', {
      message: `secretKey must have at least ${SECRET_KEY_LENGTH} characters.`,
    })
  }
  return keys
}
