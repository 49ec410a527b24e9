import type { Account } from '../account/account.ts'
import { bindHooks } from '../kernel/hooks.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { ConnectedKernel, Contributions, Endpoints, Module, ModuleContext } from '../kernel/module.ts'
import type { ApiResource } from '../kernel/operations/operation.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import { isApiPath } from './api-address.ts'
import { type ApiGuards, createApiGuards } from './api-guards.ts'
import type { Api } from './api.ts'
import type { HeadlessAdapter, HeadlessAdapterInput, HeadlessOverrides, Headless, ApiUser } from './headless.ts'
import { createTokenStrategy } from './tokens/create-token-strategy.ts'
import type { TokenStrategy } from './tokens/strategy.ts'

class HeadlessServices implements Headless {
  readonly kernel: ConnectedKernel
  readonly account: Account
  readonly adapter: HeadlessAdapter
  readonly tokens: Required<TokenStrategy>
  readonly guards: ApiGuards

  constructor(account: Account, input: HeadlessAdapterInput | undefined) {
    this.kernel = account.kernel
    this.account = account
    const defaults = headlessHooks(this)
    const { tokenStrategy, ...overrides }: HeadlessOverrides =
      typeof input === 'function' ? input(defaults) : (input ?? {})
    // A host that adds members to users needn't describe them. The schema then allows any.
    const schema =
      overrides.serializeUser === undefined ? {} : { getUserSchema: () => ({ additionalProperties: true }) as const }
    this.adapter = { ...defaults, ...schema, ...bindHooks(overrides, Object.keys(defaults)) }
    this.tokens = createTokenStrategy(this, tokenStrategy?.bind(input))
    this.guards = createApiGuards(this)
  }

  async loadResources(): Promise<readonly ApiResource[]> {
    return (await import('./operations/resources.ts')).loadResources(this.kernel)
  }
}

/** Returns the contributions of the JSON API. */
const headlessContributions = (headless: Headless, endpoints: Endpoints): Contributions => ({
  endpoints,
  frontendUrl: (visit, name, params) => headless.adapter.getFrontendUrl(visit, name, params),
  serializeUser: async (visit, user) => headless.adapter.serializeUser(visit, user),
  operations: async () => (await import('./operations/resources.ts')).tokenResources(headless),
})

/** Creates the JSON API module, which serves the operations of all modules. @param adapter The host's hooks */
export function createModule(
  account: Account,
  adapter: HeadlessAdapterInput | undefined,
  { locate }: ModuleContext,
): Module<Headless> {
  const service = new HeadlessServices(account, adapter)
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

/** Returns the default hooks of the JSON API. */
export const headlessHooks = (headless: Headless): HeadlessAdapter => ({
  serializeUser: (request, user) => serializeUser(headless, request, user),
  getFrontendUrl: (request, name, params = {}) => frontendUrl(headless.kernel, request, name, params),
  getUserSchema: () => ({}),
  getClaims: () => ({}),
})

async function serializeUser(headless: Headless, request: Visit, user: User): Promise<ApiUser> {
  return {
    id: user.id,
    display: headless.account.adapter.userDisplay(user),
    email: user.email === '' ? await primaryEmail(headless, request, user) : user.email,
    username: user.username,
    has_usable_password: user.hasUsablePassword,
  }
}

/** Returns the primary email address of a user whose table has none. */
async function primaryEmail(headless: Headless, request: Visit, user: User): Promise<string> {
  const rows = await headless.account.emails.ofUser(request.db, user.id)
  return rows.find(({ primary }) => primary)?.email ?? ''
}

function frontendUrl(
  { settings }: Pick<Kernel, 'settings'>,
  request: Visit,
  name: string,
  params: Readonly<Record<string, string>>,
): string | null {
  const [, template] = Object.entries(settings.headless.frontendUrls).find(([known]) => known === name) ?? []
  if (template === undefined) return null
  // Encode the value for both paths and queries.
  const fill = (whole: string, param: string): string =>
    Object.hasOwn(params, param) ? encodeURIComponent(params[param] ?? '') : whole
  return request.absolute(template.replaceAll(/\{(\w+)\}/g, fill))
}
