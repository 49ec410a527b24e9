import type { SealedTable } from '@gatepost/sql'
import type { Account } from './account/account.ts'
import type { ConnectedKernel, Endpoints } from './kernel/module.ts'
import { type Accounts, createAccounts } from './account/accounts.ts'
import { createFlows, type Flows } from './account/flows.ts'
import { requiredReauthentication } from './account/reauthentication/reauthentication.ts'
import type { AuthSignals, ModuleName, ModuleService } from './compose.ts'
import { createInstance } from './instance.ts'
import type { Visit } from './kernel/visit.ts'
import { checkCsrf, CSRF_COOKIE, CSRF_HEADER, parseCsrfSecret } from './kernel/http/csrf.ts'
import { createAssets } from './kernel/http/assets.ts'
import { readCookie } from './kernel/http/cookies.ts'
import { sealedTables } from './kernel/crypto/sealed-tables.sql.ts'
import { createDispatcher, createProxyWarning, type Dispatcher } from './kernel/http/dispatch.ts'
import { parsePathname } from './kernel/http/visitor-url.ts'
import { createGuards, type From, type Guards } from './account/guards.ts'
import type { WithHeaders } from './kernel/http/request-headers.ts'
import { createIdentifier, type Identity } from './kernel/identity.ts'
import type { ApiFlow } from './kernel/operations/operation.ts'
import type { SessionReference } from './kernel/sessions/session.ts'
import type { AuthOptions } from './options.ts'
import { migrateAccounts } from './kernel/schema/migrations.ts'
import type { AuthSettings } from './kernel/settings/settings.ts'
import type { Signals } from './kernel/signals.ts'
import { refuseUnguardedFactors } from './unguarded-factors.sql.ts'

/** The parts of an instance that a host's server code can use. */
export interface HostedAuth {
  /** Stores, settings, signals, and mail. */
  readonly kernel: ConnectedKernel
  /** Email addresses, logins, and hooks. */
  readonly account: Account
  /** Returns the services of a module. @throws {AuthError} `module_off` if the settings turn it off */
  module<N extends ModuleName>(name: N): ModuleService<N>
  /** Returns the services of a module, or `null` if the settings turn it off. */
  moduleIfOn<N extends ModuleName>(name: N): ModuleService<N> | null
}

/** An instance of the package. */
export interface Auth extends HostedAuth {
  readonly settings: AuthSettings
  readonly signals: Signals<AuthSignals>
  readonly guards: Guards
  /** Returns whether `fetch` handles a path. */
  handles(pathname: string): boolean
  /** Handles requests for pages and the JSON API. Never rejects, whatever a visitor sends. */
  fetch(request: Request, from?: From): Promise<Response>
  /** Returns the signed-in user by session cookie, with one indexed read, or `null`. */
  identify(request: WithHeaders): Promise<Identity | null>
  /**
   * Checks a state-changing request to the host's own pages that uses the session cookie. The `X-CSRFToken` header must
   * have the value of the `csrftoken` cookie, and the origin must be this site's or a trusted one.
   * @throws {AuthError} `csrf_failed`, `host_unknown`
   */
  checkCsrf(request: Request): void
  /**
   * Runs flows for a request to the host's own form or API. The host must check CSRF with `checkCsrf`.
   * @param work Runs again if another request changes its session meanwhile. Has no effect until it commits.
   * @returns the result of `work`, and headers for the response, mainly cookies
   * @throws {InvalidInput | AuthError} from the flows
   */
  visit<R>(
    request: Request,
    from: From,
    work: (visit: Visit, flows: Flows) => Promise<R>,
  ): Promise<{ readonly result: R; readonly headers: Headers }>
  /**
   * Returns `null` if the caller has recently authenticated or signed up, or else the JSON API's flows in which the
   * user can do that again. For the host's own APIs: a page uses `guards.reauthenticationRequired`.
   * @param session An app's session. By default, the session of the cookie.
   * @throws {AuthError} `login_required` if no one is signed in
   */
  requiredReauthentication(request: Request, from: From, session?: SessionReference): Promise<readonly ApiFlow[] | null>
  /** Manages accounts without a visitor, for the host's programs. */
  readonly accounts: Accounts
  /** Returns the tables that depend on the secret key, to encrypt them again with the newest one. */
  sealedTables(): readonly SealedTable[]
  /** Stops background work: the sending of mail, and writes of when sessions were last used. */
  close(): Promise<void>
}

/** How long `close` waits for mail that is being sent. */
const CLOSE_MS = 5_000
/** How often expired sessions and counters are removed. */
const SWEEP_MS = 3_600_000

/**
 * Migrates the account tables and starts an instance.
 * @throws {AuthError} `settings_invalid`, listing every problem, or if users have second factors but the MFA module is off
 * @throws {SqlError} `database_unavailable`
 */
export async function createAuth<Tables>(options: AuthOptions<Tables>): Promise<Auth> {
  const { kernel, account, routes, locate, module, moduleIfOn } = await createInstance(options)
  const { settings, database, clock } = kernel
  await migrateAccounts(database, settings, clock.now())
  await kernel.oldSite.load()
  await kernel.users.sweep()
  await refuseUnguardedFactors(settings, database)
  const dispatcher = createDispatcher(kernel, routes, locate)
  const flows = createFlows(account)
  const stopping = new AbortController()
  kernel.mail.start()
  const sweeping = sweepRegularly(kernel, stopping.signal)
  return {
    settings,
    signals: kernel.signals.typed(),
    guards: createGuards(account, dispatcher),
    kernel,
    account,
    module,
    moduleIfOn,
    handles: (pathname) => findEndpoints(kernel, pathname) !== null || dispatcher.handles(pathname),
    fetch: createFetch(kernel, dispatcher),
    identify: createIdentifier(kernel),
    checkCsrf(request) {
      const own = [locate(request).origin, ...settings.csrfTrustedOrigins]
      const secret = parseCsrfSecret(readCookie(request.headers.get('cookie'), CSRF_COOKIE))
      checkCsrf(request, { own, secret, given: request.headers.get(CSRF_HEADER) })
    },
    visit: (request, from, work) => dispatcher.run(request, from, (visit) => work(visit, flows)),
    async requiredReauthentication(request, from, session) {
      const work = (visit: Visit): Promise<readonly ApiFlow[] | null> => requiredReauthentication(account, visit)
      return (await dispatcher.run(request, { ...from, ...(session && { session }) }, work)).result
    },
    accounts: createAccounts(account),
    sealedTables: () => sealedTables(kernel),
    async close() {
      stopping.abort()
      await kernel.mail.stop(CLOSE_MS)
      await sweeping
      await kernel.sessions.settle()
    },
  }
}

/** Returns the endpoints of the module that serves a path outside the dispatcher, or `null`. */
function findEndpoints({ modules }: ConnectedKernel, pathname: string): Endpoints | null {
  for (const { endpoints } of modules) if (endpoints?.handles(pathname) === true) return endpoints
  return null
}

function createFetch(kernel: ConnectedKernel, dispatcher: Dispatcher): Auth['fetch'] {
  const assets = createAssets()
  const warnAboutProxy = createProxyWarning(kernel)
  const prefix = `${kernel.settings.pathPrefix}assets/`
  return async (request, from = { remoteAddress: null }) => {
    warnAboutProxy(request)
    const pathname = parsePathname(request.url)
    const endpoints = findEndpoints(kernel, pathname)
    if (endpoints !== null) return endpoints.fetch(request, from)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const asset = isRead && pathname.startsWith(prefix) ? await assets(request, pathname.slice(prefix.length)) : null
    return asset ?? dispatcher.fetch(request, from)
  }
}

async function sweepRegularly(kernel: ConnectedKernel, signal: AbortSignal): Promise<void> {
  const { clock, log, sessions, limits, artifacts, modules } = kernel
  while (!signal.aborted) {
    await clock.sleep(SWEEP_MS, signal)
    if (signal.aborted) return
    try {
      await sessions.sweep(clock.now())
      await limits.sweep(clock.now())
      await artifacts.sweep(clock.now())
      await kernel.users.sweep()
      for (const module of modules) await module.sweep?.(clock.now())
    } catch (error) {
      log.warn('Expired sessions could not be removed', { error })
    }
  }
}
