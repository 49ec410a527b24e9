import { sealedApps } from './apps/app-rows.sql.ts'
import type { Account } from '../account/account.ts'
import { bindHooks } from '../kernel/hooks.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import type { ConnectedKernel, Contributions, Module } from '../kernel/module.ts'
import type { Signals } from '../kernel/signals.ts'
import type { AuthDb } from '../kernel/users/user.ts'
import type { SocialAdapter, SocialAdapterInput } from './adapter.ts'
import { createAppProvider, type ProviderSource } from './apps/provider-of-app.ts'
import { type ProviderSettings, readProviderSettings } from './apps/provider-settings.ts'
import { createSocialApps } from './apps/social-apps.sql.ts'
import type { SocialApps } from './apps/social-apps.ts'
import { socialHooks } from './hooks.ts'
import { disconnect, evictLinks, linkUnlessTaken } from './links/connect.ts'
import { profileText } from './login/create-social-login.ts'
import { sealedTokens, sqlSocialAccountStore, sqlSocialTokenStore } from './links/social-stores.sql.ts'
import { authenticateByToken } from './login/by-token.ts'
import { beginHandshake, finishHandshake } from './login/handshake.ts'
import { restoreSignalArguments } from './login/accept-login.ts'
import { providerData, providerFlows, supportedProviders } from './operations/provider-data.ts'
import { connectionsPage, resultPages } from './pages/connections-page.ts'
import { providerPages } from './pages/provider-pages.ts'
import { logOutWithOrganization } from './pages/saml-logout.ts'
import { signupPage } from './pages/signup-page.ts'
import { providerFunctions } from './pages/template-functions.ts'
import { tokenPages } from './pages/token-pages.ts'
import { PROVIDER_ENTRIES } from './registry/provider-entries.ts'
import type { ProviderEntry } from './registry/provider-entry.ts'
import { dropPendingSignup, loadPendingSignup, completeSignup } from './signup/sign-up.ts'
import type {
  SocialSignals,
  SocialFormResults,
  Social,
  SocialAccountStore,
  SocialTokenStore,
} from './social-accounts.ts'
import type { SocialAccount } from './social-login.ts'
import { socialAppPages } from './staff/social-app-pages.ts'

/** The registry of providers. Loads each record when it's first needed. */
const REGISTRY: ProviderSource = {
  entries: PROVIDER_ENTRIES,
  record: async (id) => (await import('./registry/registry.ts')).providerRecord(id),
  exchange: async (record) => (await import('./registry/registry.ts')).loadExchange(record),
}

class SocialServices implements Social {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<SocialSignals>
  readonly account: Account
  readonly adapter: SocialAdapter
  readonly apps: SocialApps
  readonly accounts: SocialAccountStore
  readonly tokens: SocialTokenStore
  readonly dropPendingSignup: Social['dropPendingSignup'] = dropPendingSignup
  readonly #source: ProviderSource
  readonly #oldHooks: readonly string[]
  #configured: ProviderSettings | null = null

  constructor(account: Account, input: SocialAdapterInput | undefined, source: ProviderSource) {
    this.kernel = account.kernel
    this.signals = account.kernel.signals.typed()
    this.account = account
    this.#source = source
    // Hooks and apps use the other services, but only when called.
    const [adapter, oldHooks] = createAdapter(this, input)
    this.adapter = adapter
    this.#oldHooks = oldHooks
    this.apps = createSocialApps({
      social: this,
      entries: () => this.#entries(),
      configured: () => this.#providerSettings(),
    })
    this.accounts = sqlSocialAccountStore(account.kernel)
    this.tokens = sqlSocialTokenStore(account.kernel)
  }

  #providerSettings(): ProviderSettings {
    const { settings } = this.kernel
    return (this.#configured ??= readProviderSettings(settings.socialaccount.providers, this.#source.entries, settings))
  }

  #entries(): readonly ProviderEntry[] {
    const { development } = this.kernel.settings
    return this.#source.entries.filter(({ forDevelopment = false }) => !forDevelopment || development)
  }

  /** Returns the name of an app in the settings or of a provider, or else the ID itself. */
  #nameOfId(id: string): string {
    const app = this.#providerSettings().apps.find(({ providerId }) => providerId === id)
    return app?.name || (this.#source.entries.find((entry) => entry.id === id)?.name ?? id)
  }

  entries: Social['entries'] = async () => this.#entries()
  warnings: Social['warnings'] = () => [...this.#providerSettings().warnings, ...this.#oldHooks]
  provider: Social['provider'] = (app) => createAppProvider(this.kernel.settings, this.#source, app)
  begin: Social['begin'] = (visit, provider, start) => beginHandshake(this, visit, provider, start)
  finish: Social['finish'] = (visit, provider, params) => finishHandshake(this, visit, provider, params)
  byToken: Social['byToken'] = (visit, provider, token, process) =>
    authenticateByToken(this, visit, provider, token, process)
  pendingSignup: Social['pendingSignup'] = (visit) => loadPendingSignup(this, visit)
  completeSignup: Social['completeSignup'] = (visit, login, values) => completeSignup(this, visit, login, values)
  signalArguments: Social['signalArguments'] = (visit, given) => restoreSignalArguments(this, visit, given)
  link: Social['link'] = (visit, login, user) => linkUnlessTaken(this, visit, login, user)
  connections: Social['connections'] = (visit, user) => this.accounts.ofUser(visit.db, user.id)
  disconnect: Social['disconnect'] = (visit, user, accountId) => disconnect(this, visit, user, accountId)

  display(account: SocialAccount): string {
    const { socialaccountStr } = this.kernel.settings.socialaccount
    if (socialaccountStr !== null) return socialaccountStr(account)
    return profileText(account.extraData) || this.#nameOfId(account.provider)
  }

  async loadProviderName(db: AuthDb, id: string): Promise<string> {
    const [app] = await this.apps.list(db, { provider: id })
    return app === undefined || app.providerId !== id ? this.#nameOfId(id) : app.name || this.#nameOfId(id)
  }
}

/**
 * Creates the social login services of one instance.
 * @param source Source of providers. Tests pass another one.
 */
export const createSocial = (
  account: Account,
  input: SocialAdapterInput | undefined,
  source: ProviderSource = REGISTRY,
): Social => new SocialServices(account, input, source)

/**
 * Returns the contributions of the social login module.
 * @throws {AuthError} `settings_invalid`, naming every problem in SOCIALACCOUNT_PROVIDERS
 */
export function socialContributions(social: Social): Contributions {
  for (const warning of social.warnings()) social.kernel.log.warn(warning)
  return {
    pages: socialAccountPages(social),
    operations: async () => (await import('./operations/providers.ts')).providersResources(social),
    apiConfig: async (visit) => ({
      socialaccount: { providers: (await supportedProviders(social, visit)).map(providerData) },
    }),
    entranceFlows: (visit) => providerFlows(social, visit),
    staffPages: socialAppPages(social),
    templateContext: (visit) => providerFunctions(social, visit),
    loginSignalArguments: (visit, stored) => social.signalArguments(visit, stored),
    evictOthers: (visit, user) => evictLinks(social, visit, user),
    logout: (visit, next) => logOutWithOrganization(social, visit, next),
    sealedTables: [sealedApps(social.kernel), sealedTokens(social.kernel)],
  }
}

/** The name of a hook in older releases. */
const LEGACY_HOOK = 'authenticationError'

function createAdapter(social: Social, input: SocialAdapterInput | undefined): readonly [SocialAdapter, string[]] {
  const defaults = socialHooks(social)
  const overrides = typeof input === 'function' ? input(defaults) : (input ?? {})
  const current = bindHooks(overrides, [...Object.keys(defaults), LEGACY_HOOK])
  const { [LEGACY_HOOK]: old, ...hooks } = current
  if (old === undefined) return [{ ...defaults, ...hooks }, []]
  const onAuthenticationError: SocialAdapter['onAuthenticationError'] = (request, error) =>
    old(request, error.providerId, error)
  const warning = `The adapter has ${LEGACY_HOOK}, an old form of onAuthenticationError`
  return [{ ...defaults, onAuthenticationError, ...hooks }, [warning]]
}

/** Creates the social login module. @param adapter The host's hooks. */
export function createModule(
  account: Account,
  adapter: SocialAdapterInput | undefined,
): Module<Social, SocialFormResults> {
  const service = createSocial(account, adapter)
  return { service, contributions: socialContributions(service) }
}

/** Returns the pages of social login. */
export const socialAccountPages = (social: Social): readonly PageRoute[] =>
  social.kernel.settings.socialaccount.enabled
    ? [
        connectionsPage(social),
        signupPage(social),
        ...resultPages(social.account),
        ...providerPages(social),
        ...tokenPages(social),
      ]
    : []
