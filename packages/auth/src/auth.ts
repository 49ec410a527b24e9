import { migrate } from '@gatepost/sql'
import type { Account } from './account/account.ts'
import type { ConnectedKernel, Endpoints } from './kernel/module.ts'
import { type Accounts, createAccounts } from './account/accounts.ts'
import { createFlows, type Flows } from './account/flows.ts'
import type { AuthSignals, ModuleName, ModuleService } from './compose.ts'
import { createInstance } from './instance.ts'
import type { Visit } from './kernel/visit.ts'
import { checkCsrf, CSRF_COOKIE, CSRF_HEADER, parseCsrfSecret } from './kernel/http/csrf.ts'
import { createAssets } from './kernel/http/assets.ts'
import { readCookie } from './kernel/http/cookies.ts'
import { createDispatcher, createProxyWarning, type Dispatcher } from './kernel/http/dispatch.ts'
import { parsePathname } from './kernel/http/visitor-url.ts'
import { createGuards, type From, type Guards } from './account/guards.ts'
import type { WithHeaders } from './kernel/http/request-headers.ts'
import { createIdentifier, type Identity } from './kernel/identity.ts'
import type { AuthOptions } from './options.ts'
import { authMigrations } from './kernel/schema/migrations.ts'
import type { AuthSettings } from './kernel/settings/settings.ts'
import type { Signals } from './kernel/signals.ts'

/** What server code of a host reaches of an instance: all of them are read, none is replaced. */
export interface HostedAuth {
  /** Stores, settings, signals and mail. */
  readonly kernel: ConnectedKernel
  /** Addresses, logins and hooks. */
  readonly account: Account
  /** Returns the services of a module. @throws {AuthError} `module_off` where the settings have it off */
  module<N extends ModuleName>(name: N): ModuleService<N>
  /** Returns the services of a module; `null` where the settings have it off. */
  moduleIfOn<N extends ModuleName>(name: N): ModuleService<N> | null
}

/** Accounts for a server: pages, sessions, flows. */
export interface Auth extends HostedAuth {
  readonly settings: AuthSettings
  readonly signals: Signals<AuthSignals>
  readonly guards: Guards
  /** Whether a path belongs to `fetch`. */
  handles(pathname: string): boolean
  /** Answers the pages and the JSON API. Never rejects for what a visitor sends. */
  fetch(request: Request, from?: From): Promise<Response>
  /** The caller by the session: one indexed read; `null`: nobody. */
  identify(request: WithHeaders): Promise<Identity | null>
  /**
   * For a state-changing request of the host's own with the session cookie: the header `X-CSRFToken` must hold what the
   * `csrftoken` cookie holds, and the origin must be ours. @throws {AuthError} `csrf_failed`, `host_unknown`
   */
  checkCsrf(request: Request): void
  /**
   * Runs flows for a request of the host's own: its own form, its own API. The host checks CSRF (`checkCsrf`).
   * @param work Run again when its session was changed at the same time; until it commits it has had no effect.
   * @returns its result, and the headers (cookies above all) that belong on the answer
   * @throws {InvalidInput | AuthError} what the flows throw
   */
  visit<R>(
    request: Request,
    from: From,
    work: (visit: Visit, flows: Flows) => Promise<R>,
  ): Promise<{ readonly result: R; readonly headers: Headers }>
  /** Accounts without a visitor: for programs of the host. */
  readonly accounts: Accounts
  /** Ends what runs in the background: mail that is being sent, notes that sessions were seen. */
  close(): Promise<void>
}

/** How long a close waits for mail that is being sent. */
const CLOSE_MS = 5_000
/** How often expired sessions and counters are removed. */
const SWEEP_MS = 3_600_000

/**
 * Brings the account tables up to date and starts.
 * @throws {AuthError} `settings_invalid`, naming everything that is wrong
 * @throws {SqlError} `database_unavailable`
 */
export async function createAuth<Tables>(options: AuthOptions<Tables>): Promise<Auth> {
  const { kernel, account, routes, locate, module, moduleIfOn } = await createInstance(options)
  const { settings, database, clock } = kernel
  const schema = {
    userTable: settings.userTable,
    uniqueEmail: settings.account.uniqueEmail,
    keyType: settings.defaultAutoField,
  }
  await migrate(database, { owner: 'auth', migrations: authMigrations(schema), nowMs: clock.now() })
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
    accounts: createAccounts(account),
    async close() {
      stopping.abort()
      await kernel.mail.stop(CLOSE_MS)
      await sweeping
      await kernel.sessions.settle()
    },
  }
}

/** The module that answers a path itself, outside the frame of the pages. */
function findEndpoints({ modules }: ConnectedKernel, pathname: string): Endpoints | null {
  for (const { endpoints } of modules) if (endpoints?.handles(pathname) === true) return endpoints
  return null
}

function createFetch(kernel: ConnectedKernel, dispatcher: Dispatcher): Auth['fetch'] {
  const assets = createAssets()
  const warnOfForwarders = createProxyWarning(kernel)
  const prefix = `${kernel.settings.pathPrefix}assets/`
  return async (request, from = { remoteAddress: null }) => {
    warnOfForwarders(request)
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
      for (const module of modules) await module.sweep?.(clock.now())
    } catch (error) {
      log.warn('Expired sessions could not be removed', { error })
    }
  }
}
