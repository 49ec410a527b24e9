import type { Core } from '../core.ts'
import { bound } from '../kernel/hooks.ts'
import type { AuthDb } from '../kernel/users/user.ts'
import type { SocialAdapter, SocialAdapterInput } from './adapter.ts'
import { byToken } from './login/by-token.ts'
import { disconnect, linkIfFree } from './links/connect.ts'
import { profileText } from './links/display.ts'
import { beginHandshake, finishHandshake } from './login/handshake.ts'
import { socialHooks } from './hooks.ts'
import { dropPendingSignup, pendingSignup } from './signup/pending-signup.ts'
import { PROVIDER_ENTRIES } from './registry/provider-entries.ts'
import type { ProviderEntry } from './registry/provider-entry.ts'
import { type ProviderSource, providerOfApp } from './apps/provider-of-app.ts'
import { type ProviderSettings, readProviderSettings } from './apps/provider-settings.ts'
import { restoredArguments } from './login/signal-arguments.ts'
import { completeSignup } from './signup/sign-up.ts'
import type { SocialAccounts } from './social-accounts.ts'
import { sqlSocialAccountStore } from './links/social-account-store.sql.ts'
import { createSocialApps } from './apps/social-apps.sql.ts'
import type { SocialAccount } from './social-login.ts'
import { sqlSocialTokenStore } from './links/social-token-store.sql.ts'

/** Its records are loaded when somebody comes for one of them. */
const REGISTRY: ProviderSource = {
  entries: PROVIDER_ENTRIES,
  record: async (id) => (await import('./registry/registry.ts')).providerRecord(id),
  exchange: async (record) => (await import('./registry/registry.ts')).exchangeOf(record),
}

/**
 * Logins at providers of one instance.
 * @param core   Asked at each call: they are part of it.
 * @param source Where providers are known from; a test gives others.
 */
export function createSocialAccounts(
  core: () => Core,
  input: SocialAdapterInput | undefined,
  source: ProviderSource = REGISTRY,
): SocialAccounts {
  let read: ProviderSettings | null = null
  const configured = (): ProviderSettings =>
    (read ??= readProviderSettings(core().settings.socialaccount.providers, source.entries, core().settings))
  const entries = (): readonly ProviderEntry[] =>
    source.entries.filter(({ forDevelopment = false }) => !forDevelopment || core().settings.development)
  const [adapter, oldHooks] = adapterOf(core, input)
  return {
    adapter,
    apps: createSocialApps({ core, entries, configured }),
    accounts: sqlSocialAccountStore(core),
    tokens: sqlSocialTokenStore(core),
    entries: async () => entries(),
    warnings: () => [...configured().warnings, ...oldHooks],
    provider: (app) => providerOfApp(core().settings, source, app),
    begin: (request, provider, start) => beginHandshake(core(), request, provider, start),
    finish: (request, provider, params) => finishHandshake(core(), request, provider, params),
    byToken: (request, provider, token, process) => byToken(core(), request, provider, token, process),
    pendingSignup: (request) => pendingSignup(core(), request),
    dropPendingSignup,
    completeSignup: (request, sociallogin, values) => completeSignup(core(), request, sociallogin, values),
    signalArguments: (request, given) => restoredArguments(core(), request, given),
    link: (request, sociallogin, user) => linkIfFree(core(), request, sociallogin, user),
    connections: (request, user) => core().social.accounts.ofUser(request.db, user.id),
    disconnect: (request, user, accountId) => disconnect(core(), request, user, accountId),
    ...namesOf(core, source, configured),
  }
}

/** The name of a hook in older releases. */
const OLD_HOOK = 'authenticationError'

function adapterOf(core: () => Core, input: SocialAdapterInput | undefined): readonly [SocialAdapter, string[]] {
  const defaults = socialHooks(core)
  const overrides = typeof input === 'function' ? input(defaults) : (input ?? {})
  const current = bound(overrides, [...Object.keys(defaults), OLD_HOOK])
  const { [OLD_HOOK]: old, ...hooks } = current
  if (old === undefined) return [{ ...defaults, ...hooks }, []]
  const onAuthenticationError: SocialAdapter['onAuthenticationError'] = (request, error) =>
    old(request, error.providerId, error)
  const warning = `The adapter has ${OLD_HOOK}, an old form of onAuthenticationError`
  return [{ ...defaults, onAuthenticationError, ...hooks }, [warning]]
}

/** What providers and accounts are called. */
function namesOf(
  core: () => Core,
  source: ProviderSource,
  configured: () => ProviderSettings,
): Pick<SocialAccounts, 'display' | 'nameOf'> {
  const known = (id: string): string => {
    const app = configured().apps.find(({ providerId }) => providerId === id)
    return app?.name || (source.entries.find((entry) => entry.id === id)?.name ?? id)
  }
  return {
    display(account: SocialAccount) {
      const { socialaccountStr } = core().settings.socialaccount
      if (socialaccountStr !== null) return socialaccountStr(account)
      return profileText(account.extraData) || known(account.provider)
    },
    async nameOf(db: AuthDb, id: string) {
      const [app] = await core().social.apps.list(db, { provider: id })
      return app === undefined || app.providerId !== id ? known(id) : app.name || known(id)
    },
  }
}
