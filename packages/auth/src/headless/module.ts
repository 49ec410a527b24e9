import type { Account } from '../account/account.ts'
import { bindHooks } from '../kernel/hooks.ts'
import type { ConnectedKernel, Contributions, Endpoints, Module, ModuleContext } from '../kernel/module.ts'
import type { ApiResource } from '../kernel/operations/operation.ts'
import type { HeadlessAdapter, HeadlessAdapterInput, HeadlessOverrides } from './adapter.ts'
import type { Api } from './api.ts'
import { isApiPath } from './api-address.ts'
import { type ApiGuards, createApiGuards } from './api-guards.ts'
import type { Headless } from './headless.ts'
import { headlessHooks } from './hooks.ts'
import { createTokenStrategy } from './tokens/create-token-strategy.ts'
import type { TokenStrategy } from './tokens/strategy.ts'

class HeadlessServices implements Headless {
  readonly kernel: ConnectedKernel
  readonly account: Account
  readonly adapter: HeadlessAdapter
  readonly tokens: Required<TokenStrategy>
  readonly guards: ApiGuards

  constructor(account: Account, input: HeadlessAdapterInput | undefined, origin: string | null) {
    this.kernel = account.kernel
    this.account = account
    const defaults = headlessHooks(this)
    const { tokenStrategy, ...overrides }: HeadlessOverrides =
      typeof input === 'function' ? input(defaults) : (input ?? {})
    // A host that shows more of a user need not describe it: its description then leaves it open.
    const schema =
      overrides.serializeUser === undefined ? {} : { getUserSchema: () => ({ additionalProperties: true }) as const }
    this.adapter = { ...defaults, ...schema, ...bindHooks(overrides, Object.keys(defaults)) }
    this.tokens = createTokenStrategy(this, { tokenStrategy: tokenStrategy?.bind(input), origin })
    this.guards = createApiGuards(this)
  }

  async loadResources(): Promise<readonly ApiResource[]> {
    return (await import('./operations/resources.ts')).loadResources(this.kernel)
  }
}

/** Returns what the JSON API contributes to the package. */
const headlessContributions = (headless: Headless, endpoints: Endpoints): Contributions => ({
  endpoints,
  frontendUrl: (visit, name, params) => headless.adapter.getFrontendUrl(visit, name, params),
  serializeUser: async (visit, user) => headless.adapter.serializeUser(visit, user),
  operations: async () => (await import('./operations/tokens.ts')).tokenResources(headless),
})

/** Creates the JSON API module, which serves the operations of all modules. @param adapter Hooks of the host */
export function createModule(
  account: Account,
  adapter: HeadlessAdapterInput | undefined,
  { locate, origin }: ModuleContext,
): Module<Headless> {
  const service = new HeadlessServices(account, adapter, origin)
  const { settings } = account.kernel
  let api: Promise<Api> | null = null
  const endpoints: Endpoints = {
    handles: (pathname) => isApiPath(settings, pathname),
    async fetch(request, from) {
      api ??= import('./api.ts').then(({ createApi }) => createApi(service, locate))
      return (await api).fetch(request, from)
    },
  }
  return { service, contributions: headlessContributions(service, endpoints) }
}
