import type { Account } from '../account/account.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import type { VisitorUrls } from '../kernel/http/visitor-url.ts'
import type { ConnectedKernel, Contributions, Module, ModuleContext, OidcOptions } from '../kernel/module.ts'
import type { Signals } from '../kernel/signals.ts'
import type { OidcClients } from './clients.ts'
import { type Consents, createConsents } from './consents.ts'
import { createKeyedLimiter } from './engine/keyed-limiter.ts'
import type { CreateEngine } from './engine/parts.ts'
import { createOidcAdapter } from './hooks.ts'
import { sqlOidcClients } from './oidc-clients.sql.ts'
import type { OidcSignals, OidcAdapter, OidcAdapterInput, Oidc, OidcEngine } from './oidc.ts'
import { applicationPages } from './pages/application-pages.ts'
import { devicePages } from './pages/device-pages.ts'
import { interactionPages } from './pages/interaction-pages.ts'
import { requestedLogoutPages } from './pages/logout-pages.ts'
import { oidcPaths, type OidcPaths, protocolPaths } from './paths.ts'
import { createSigningKeys, type SigningKeys } from './signing-keys.ts'
import { clientPages } from './staff/client-pages.ts'
import { createTokenGuards, type TokenGuards } from './token-guards.ts'
import { tokenRows, type TokenRows } from './token-rows.sql.ts'
import { createTokens, type Tokens } from './tokens.ts'

/** The inputs of `createOidc`. */
export interface OidcModuleOptions extends OidcOptions {
  readonly adapter: OidcAdapterInput | undefined
  readonly locate: VisitorUrls
}

/** How many client secrets are checked at once per IP address. Each check computes a password hash. */
const SECRETS_AT_ONCE = 4

/**
 * The module that creates the engine. Typed as `string`, so that a host's compiler doesn't follow it to the types of
 * `oidc-provider`, which hosts needn't install. The published files end in `.js`.
 */
const ENGINE: string = import.meta.url.endsWith('.ts') ? './engine/engine.ts' : './engine/engine.js'

class OidcServices implements Oidc {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<OidcSignals>
  readonly account: Account
  readonly adapter: OidcAdapter
  readonly clients: OidcClients
  readonly tokens: Tokens
  readonly paths: OidcPaths
  readonly protocolPaths: Oidc['protocolPaths']
  readonly guards: TokenGuards
  readonly #options: OidcModuleOptions
  readonly #rows: TokenRows
  readonly #consents: Consents
  #keys: SigningKeys | null = null
  #engine: Promise<OidcEngine> | null = null

  constructor(account: Account, options: OidcModuleOptions) {
    const { kernel } = account
    this.kernel = kernel
    this.signals = kernel.signals.typed()
    this.account = account
    this.#options = options
    this.paths = oidcPaths(kernel.mount)
    this.protocolPaths = protocolPaths(kernel.settings, this.paths)
    this.#rows = tokenRows(kernel)
    this.#consents = createConsents(kernel)
    // These use the rest of the module only when they're called.
    this.adapter = createOidcAdapter(this, options.adapter)
    this.clients = sqlOidcClients(this)
    this.tokens = createTokens(this, this.#rows, this.#consents)
    this.guards = createTokenGuards(this, options.locate)
  }

  issuer(url: URL): string {
    return this.adapter.getIssuer(`${url.origin}${this.paths.mount}`)
  }

  engine(): Promise<OidcEngine> {
    return (this.#engine ??= this.#open())
  }

  rotateKey(): Promise<void> {
    return this.#signingKeys().rotate()
  }

  #signingKeys(): SigningKeys {
    return (this.#keys ??= createSigningKeys(this.kernel))
  }

  async #open(): Promise<OidcEngine> {
    const { createEngine } = (await import(ENGINE)) as { readonly createEngine: CreateEngine } // by its declaration there
    const { locate, resources = [], registrationScopes = ['openid', 'email', 'profile'] } = this.#options
    return createEngine({
      oidc: this,
      locate,
      rows: this.#rows,
      tokens: this.tokens,
      consents: this.#consents,
      keys: this.#signingKeys(),
      checkingSecrets: createKeyedLimiter(SECRETS_AT_ONCE),
      resources,
      registrationScopes,
    })
  }
}

/** Creates our OpenID Connect provider. */
export const createOidc = (account: Account, options: OidcModuleOptions): Oidc => new OidcServices(account, options)

/** Returns the contributions of our OpenID Connect provider. */
export const oidcContributions = (oidc: Oidc): Contributions => ({
  pages: oidcPages(oidc),
  endpoints: {
    handles: (pathname) => oidc.protocolPaths.has(pathname),
    fetch: async (request, from) => (await oidc.engine()).fetch(request, from),
  },
  staffPages: clientPages(oidc),
  revokeAccess: (db, userId) => oidc.tokens.revokeAllOfUser(db, userId),
  async sweep(nowMs) {
    await oidc.tokens.sweep(nowMs)
  },
})

/** Creates the module of our OpenID Connect provider. @param adapter The host's hooks. */
export function createModule(
  account: Account,
  adapter: OidcAdapterInput | undefined,
  { locate, oidc }: ModuleContext,
): Module<Oidc> {
  const service = createOidc(account, { ...oidc, adapter, locate })
  return { service, contributions: oidcContributions(service) }
}

/** Returns the pages of our OpenID Connect provider. */
export const oidcPages = (oidc: Oidc): readonly PageRoute[] =>
  oidc.kernel.settings.idpOidc.enabled
    ? [...interactionPages(oidc), ...devicePages(oidc), ...requestedLogoutPages(oidc), ...applicationPages(oidc)]
    : []
