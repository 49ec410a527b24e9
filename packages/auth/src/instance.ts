import type { Database } from '@gatepost/sql'
import type { Account } from './account/account.ts'
import { accountContributions, createAccount, kernelHooks } from './account/module.ts'
import { type Adapters, type ModuleName, MODULES, type ModuleService } from './compose.ts'
import { AuthError } from './errors.ts'
import { createKernel } from './kernel/create-kernel.ts'
import { unknownPages } from './kernel/http/redirects.ts'
import { routeTable, type PageRoute, type RouteTable } from './kernel/http/route.ts'
import { type VisitorUrls, visitorUrls } from './kernel/http/visitor-url.ts'
import type { ConnectedKernel, Contributions, Module, ModuleContext } from './kernel/module.ts'
import type { AuthTables } from './kernel/schema/tables.ts'
import { type AuthSettings, resolveSettings } from './kernel/settings/settings.ts'
import { stderrLog, systemClock, systemRandom } from './kernel/io.ts'
import type { AuthOptions } from './options.ts'

/** The parts of an instance. */
export interface Instance {
  readonly kernel: ConnectedKernel
  readonly account: Account
  readonly routes: RouteTable
  readonly locate: VisitorUrls
  /** Returns the services of a module. @throws {AuthError} `module_off` */
  module<N extends ModuleName>(name: N): ModuleService<N>
  /** Returns the services of a module, or `null` if the settings turn it off. */
  moduleIfOn<N extends ModuleName>(name: N): ModuleService<N> | null
}

/** Loads and connects the enabled modules. @throws {AuthError} `settings_invalid` */
export async function createInstance<Tables>(options: AuthOptions<Tables>): Promise<Instance> {
  const { clock = systemClock, random = systemRandom, log = stderrLog, origin = null, adapters = {} } = options
  const { settings, warnings } = resolveSettings(options.settings)
  for (const warning of warnings) log.warn(warning)
  const { mount = '', ...oidc } = options.oidc ?? {}
  const { kernel, connect } = createKernel({
    settings,
    database: options.database as unknown as Database<AuthTables>, // `authMigrations` creates its tables
    secretKey: options.secretKey,
    clock,
    random,
    log,
    forms: options.forms ?? {},
    templates: options.templates ?? {},
    translations: options.translations ?? {},
    mount,
    mail: options.mail,
    isBreached: options.isBreached,
  })
  const protocol = settings.account.defaultHttpProtocol
  const locate = visitorUrls({ origin, allowedHosts: settings.allowedHosts, protocol })
  const hooks = mergeAdapters(adapters, settings)
  const account = createAccount(kernel, { adapter: hooks.account, signupForm: options.signupForm })
  const contributions: Contributions[] = [accountContributions(account)]
  const services = new Map<string, unknown>()
  for (const [name, { isOn, load }] of Object.entries(MODULES)) {
    if (!isOn(settings)) continue
    const create = (await load()).createModule as CreateAny // each takes the hooks under its own name
    const context = { locate, origin, oidc, before: [...contributions] }
    const module = create(account, Reflect.get(hooks, name), context)
    services.set(name, module.service)
    contributions.push(module.contributions)
  }
  const routes = mountPages(settings, contributions, options.pages?.({ kernel, account }) ?? [])
  connect({ hooks: kernelHooks(account), modules: contributions, routes })
  const moduleIfOn = <N extends ModuleName>(name: N): ModuleService<N> | null =>
    (services.get(name) as ModuleService<N> | undefined) ?? null // stored above, under its own name
  return {
    kernel,
    account,
    routes,
    locate,
    moduleIfOn,
    module(name) {
      const service = moduleIfOn(name)
      if (service === null) throw new AuthError('module_off', { details: { module: name } })
      return service
    },
  }
}

/** Returns the hooks of the options and of the settings. @throws {AuthError} `settings_invalid` if both have some */
function mergeAdapters(adapters: Adapters, { account, socialaccount }: AuthSettings): Adapters {
  const given = { account: account.adapter, social: socialaccount.adapter }
  const twice = (['account', 'social'] as const).filter(
    (name) => given[name] !== null && Reflect.get(adapters, name) !== undefined,
  )
  if (twice.length > 0) {
    const names = { account: 'ACCOUNT_ADAPTER', social: 'SOCIALACCOUNT_ADAPTER' }
    const message = twice.map((name) => `Set either ${names[name]} or the option adapters.${name}, not both.`).join(' ')
    throw new AuthError('settings_invalid', { message })
  }
  return {
    ...adapters,
    ...(given.account && { account: given.account }),
    ...(given.social && { social: given.social }),
  }
}

type CreateAny = (account: Account, adapter: unknown, context: ModuleContext) => Module<unknown>

/** Builds the table of pages. @throws {AuthError} `settings_invalid` if a setting names an unknown page */
function mountPages(
  settings: AuthSettings,
  modules: readonly Contributions[],
  hostPages: readonly PageRoute[],
): RouteTable {
  const own = modules.flatMap(({ pages = [] }) => pages)
  const isMounted = ({ withoutPages }: PageRoute): boolean => !settings.headless.only || withoutPages === true
  const unmounted = own.filter((route) => !isMounted(route))
  const mounted = [...own.filter(isMounted), ...hostPages]
  const unknown = unknownPages(settings, new Set([...mounted, ...unmounted].map(({ name }) => name)))
  if (unknown.length > 0) throw new AuthError('settings_invalid', { message: unknown.join(' ') })
  return routeTable(settings.pathPrefix, mounted, unmounted)
}
