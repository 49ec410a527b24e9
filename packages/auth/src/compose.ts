import type { Database } from '@gatepost/sql'
import { adminPages } from './admin/pages.ts'
import { createAccountAdapter } from './account/default-adapter.ts'
import { createHeadless } from './headless/create-headless.ts'
import { createMfa } from './mfa/create-mfa.ts'
import { mfaPages } from './mfa/pages.ts'
import { guardAddresses } from './mfa/blocked-addresses.ts'
import { userSessionPages } from './sessions/pages.ts'
import { createUserSessions } from './sessions/create-user-sessions.ts'
import { createLoginFlow } from './account/login/login-flow.ts'
import { lacksMessages } from './account/phone/hooks.ts'
import { accountPages } from './account/pages.ts'
import { sqlEmailAddressStore } from './account/stores/email-address-store.sql.ts'
import { sqlEmailConfirmationStore } from './account/stores/email-confirmation-store.sql.ts'
import { sqlPhoneStore } from './account/stores/phone-store.sql.ts'
import { sqlArtifacts } from './kernel/artifacts/artifacts.sql.ts'
import type { Core } from './core.ts'
import { createSealer } from './kernel/crypto/sealer.ts'
import { createSigner } from './kernel/crypto/signer.ts'
import { AuthError } from './errors.ts'
import { createForms } from './kernel/forms/form-set.ts'
import { unknownPages } from './kernel/http/redirect-settings.ts'
import type { PageRoute } from './kernel/http/route.ts'
import { routeTable, type RouteTable } from './kernel/http/routes.ts'
import { createOidc } from './oidc/create-oidc.ts'
import { oidcPages } from './oidc/pages.ts'
import { createMailQueue } from './kernel/mail/mail-queue.sql.ts'
import { createMailTransport } from './kernel/mail/transports.ts'
import type { AuthOptions } from './options.ts'
import { createPasswords } from './kernel/passwords/password-service.ts'
import { sqlRateLimits } from './kernel/limits/rate-limits.sql.ts'
import type { AuthTables } from './kernel/schema/tables.ts'
import { createSessionStore } from './kernel/sessions/session-store.sql.ts'
import { type AuthSettings, resolveSettings } from './kernel/settings/settings.ts'
import { createSignals } from './kernel/signals-bus.ts'
import { createSocialAccounts } from './social/create-social-accounts.ts'
import { socialAccountPages } from './social/pages.ts'
import { stderrLog, systemClock, systemRandom } from './kernel/system.ts'
import { createTemplates } from './kernel/templates/engine/create-templates.ts'
import { createTranslations } from './kernel/templates/translate/create-translations.ts'
import { sqlUserStore } from './kernel/users/user-store.sql.ts'

/** Everything of one instance of the package. */
export interface Composed {
  readonly core: Core
  readonly routes: RouteTable
}

const SECRET_KEY_LENGTH = 32

/** Puts the parts together. @throws {AuthError} `settings_invalid` */
export function compose<Tables>(options: AuthOptions<Tables>): Composed {
  const log = options.log ?? stderrLog
  const { settings, warnings } = resolveSettings(options.settings)
  for (const warning of warnings) log.warn(warning)
  const core = coreOf(options, settings)
  if (lacksMessages(core)) {
    const message = 'Phone numbers are used, so the account adapter must have the hook sendVerificationCodeSms.'
    throw new AuthError('settings_invalid', { message })
  }
  for (const warning of core.social.warnings()) log.warn(warning)
  const own = [
    ...accountPages(core),
    ...mfaPages(core),
    ...userSessionPages(core),
    ...socialAccountPages(core),
    ...oidcPages(core),
    ...adminPages(core),
  ]
  const isMounted = ({ withoutPages }: PageRoute): boolean => !settings.headless.only || withoutPages === true
  const [pages, unmounted] = [own.filter(isMounted), own.filter((route) => !isMounted(route))]
  const mounted = [...pages, ...(options.pages?.(core) ?? [])]
  const unknown = unknownPages(settings, new Set([...mounted, ...unmounted].map(({ name }) => name)))
  if (unknown.length > 0) throw new AuthError('settings_invalid', { message: unknown.join(' ') })
  const routes = routeTable(settings.pathPrefix, mounted, unmounted)
  bindRoutes(core, routes)
  guardAddresses(core)
  return { core, routes }
}

/** A core whose addresses are known only when its pages are: they are made with it. */
interface Unbound extends Core {
  routes: RouteTable | null
}

function bindRoutes(core: Core, routes: RouteTable): void {
  const unbound = core as Unbound // made by `coreOf`
  unbound.routes = routes
}

function coreOf<Tables>(options: AuthOptions<Tables>, settings: AuthSettings): Core {
  const database = options.database as unknown as Database<AuthTables> // its tables are made by `authMigrations`
  const keys = secretKeys(options.secretKey)
  const { clock = systemClock, random = systemRandom, log = stderrLog } = options
  const sealer = createSealer(keys, random)
  const signer = createSigner(keys)
  const users = sqlUserStore({ database, settings, random })
  const adapter = createAccountAdapter(() => core, options.adapters?.account, log)
  const transport = options.mail ?? createMailTransport(settings, { write: (text) => void process.stderr.write(text) })
  const breached = options.isBreached === undefined ? {} : { isBreached: options.isBreached }
  const core: Unbound = {
    settings,
    database,
    clock,
    random,
    log,
    users,
    emails: sqlEmailAddressStore({ database, settings }),
    confirmations: sqlEmailConfirmationStore({ database, settings }),
    phones: sqlPhoneStore({ database, settings }),
    sessions: createSessionStore({ database, settings, signer, sealer, users, random, log }),
    passwords: createPasswords({ settings, random, log, ...breached }),
    signer,
    sealer,
    limits: sqlRateLimits(database, { ...settings.account.rateLimits, ...settings.idpOidc.rateLimits }),
    artifacts: sqlArtifacts(database, sealer),
    mail: createMailQueue({ database, transport, sealer, clock, log, random }),
    templates: createTemplates({ ...options.templates, extension: settings.account.templateExtension }),
    translations: createTranslations({ languages: languagesOf(settings), extra: options.translations ?? {} }),
    signals: createSignals(log),
    forms: createForms(options.forms ?? {}, () => adapter, settings.account.passwordInputRenderValue),
    signupForm: options.signupForm ?? null,
    adapter,
    login: createLoginFlow(() => core),
    mfa: createMfa(() => core, options.adapters?.mfa),
    userSessions: createUserSessions(() => core, options.adapters?.usersessions),
    headless: createHeadless(() => core, options),
    social: createSocialAccounts(() => core, options.adapters?.socialaccount),
    oidc: createOidc(() => core, options, settings),
    routes: null,
    url: (name, params) => bound(core).url(name, params),
    has: (name) => bound(core).has(name),
  }
  return core
}

function bound({ routes }: Unbound): RouteTable {
  if (routes === null) throw new Error('the addresses of pages are asked for before the pages are there')
  return routes
}

/** The first one is for visitors who ask for none of them. */
const languagesOf = ({ languageCode, languages }: AuthSettings): readonly string[] => [
  ...new Set([languageCode, ...languages]),
]

function secretKeys(given: string | readonly [string, ...string[]]): readonly [string, ...string[]] {
  const keys: readonly [string, ...string[]] = typeof given === 'string' ? [given] : given
  if (keys.some((key) => key.length < SECRET_KEY_LENGTH)) {
    throw new AuthError('settings_invalid', {
      message: `secretKey must have at least ${SECRET_KEY_LENGTH} characters.`,
    })
  }
  return keys
}
