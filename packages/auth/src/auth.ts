import { migrate } from '@gatepost/sql'
import type { Core } from './core.ts'
import { type Accounts, createAccounts } from './account/accounts.ts'
import { createFlows, type Flows } from './account/flows.ts'
import { compose } from './compose.ts'
import type { Visit } from './kernel/visit.ts'
import { checkCsrf, CSRF_COOKIE, CSRF_HEADER, csrfSecretOf } from './kernel/http/csrf.ts'
import { createAssets } from './kernel/http/assets.ts'
import { cookieOf } from './kernel/http/cookies.ts'
import { createDispatcher, type Dispatcher } from './kernel/http/dispatch.ts'
import { pathnameOf, type VisitorUrls, visitorUrls } from './kernel/http/visitor-url.ts'
import { forwarderWarning } from './kernel/http/way-in.ts'
import { isApiPath } from './headless/api-address.ts'
import type { Api } from './headless/api.ts'
import { type ApiGuards, createApiGuards } from './headless/api-guards.ts'
import type { CheckedAccess } from './headless/tokens/strategy.ts'
import { createGuards, type From, type Guards } from './account/guards.ts'
import type { WithHeaders } from './kernel/http/with-headers.ts'
import { identifier, type Identity } from './kernel/identity.ts'
import { createTokenGuards, type TokenGuards } from './oidc/token-guards.ts'
import type { AuthOptions } from './options.ts'
import { authMigrations } from './kernel/schema/migrations.ts'
import type { AuthSettings } from './kernel/settings/settings.ts'
import type { Signals } from './signals.ts'

/** Accounts for a server: pages, sessions, flows. */
export interface Auth {
  readonly settings: AuthSettings
  readonly signals: Signals
  readonly guards: Guards
  /** For an API of the host's own, called by apps with the tokens of the JSON API. */
  readonly apiGuards: ApiGuards
  /** For an API of the host's own, called with access tokens of our OpenID Connect provider. */
  readonly tokenGuards: TokenGuards
  /** The parts behind the pages, for server code of the host: stores, flows, hooks. */
  readonly core: Core
  /** Whether a path belongs to `fetch`. */
  handles(pathname: string): boolean
  /** Answers the pages and the JSON API. Never rejects for what a visitor sends. */
  fetch(request: Request, from?: From): Promise<Response>
  /** The caller by the session: one indexed read; `null`: nobody. */
  identify(request: WithHeaders): Promise<Identity | null>
  /**
   * Who calls by an access token of the strategy jwt, by its signature alone; with `jwtStatefulValidationEnabled` by its
   * session too: one indexed read. `null`: it is none of ours, or over. That the user is active `apiGuards` looks up.
   */
  verifyAccessToken(token: string): Promise<CheckedAccess | null>
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
  const { core, routes } = compose(options)
  const { settings, database, clock } = core
  const schema = {
    userTable: settings.userTable,
    uniqueEmail: settings.account.uniqueEmail,
    keyType: settings.defaultAutoField,
  }
  await migrate(database, { owner: 'auth', migrations: authMigrations(schema), nowMs: clock.now() })
  const locate = visitorUrls({
    origin: options.origin ?? null,
    allowedHosts: settings.allowedHosts,
    protocol: settings.account.defaultHttpProtocol,
  })
  const dispatcher = createDispatcher(core, routes, locate)
  const flows = createFlows(core)
  const stopping = new AbortController()
  core.mail.start()
  const sweeping = sweepRegularly(core, stopping.signal)
  return {
    settings,
    signals: core.signals,
    guards: createGuards(core, dispatcher),
    apiGuards: createApiGuards(core),
    tokenGuards: createTokenGuards(core, locate),
    core,
    handles: (pathname) =>
      isApiPath(settings, pathname) || core.oidc.protocolPaths.has(pathname) || dispatcher.handles(pathname),
    fetch: fetchOf(core, dispatcher, locate),
    identify: identifier(core),
    verifyAccessToken: (token) => core.headless.tokens.checkAccessToken(token),
    checkCsrf(request) {
      const own = [locate(request).origin, ...settings.csrfTrustedOrigins]
      const secret = csrfSecretOf(cookieOf(request.headers.get('cookie'), CSRF_COOKIE))
      checkCsrf(request, { own, secret, given: request.headers.get(CSRF_HEADER) })
    },
    visit: (request, from, work) => dispatcher.run(request, from, (visit) => work(visit, flows)),
    accounts: createAccounts(core),
    async close() {
      stopping.abort()
      await core.mail.stop(CLOSE_MS)
      await sweeping
      await core.sessions.settle()
    },
  }
}

function fetchOf(core: Core, dispatcher: Dispatcher, locate: VisitorUrls): Auth['fetch'] {
  const assets = createAssets()
  const warnOfForwarders = forwarderWarning(core)
  let api: Promise<Api> | null = null
  const prefix = `${core.settings.pathPrefix}assets/`
  return async (request, from = { remoteAddress: null }) => {
    warnOfForwarders(request)
    const pathname = pathnameOf(request.url)
    if (isApiPath(core.settings, pathname)) {
      api ??= import('./headless/api.ts').then(({ createApi }) => createApi(core, locate))
      return (await api).fetch(request, from)
    }
    if (core.oidc.protocolPaths.has(pathname)) return (await core.oidc.engine()).fetch(request, from)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const asset = isRead && pathname.startsWith(prefix) ? await assets(request, pathname.slice(prefix.length)) : null
    return asset ?? dispatcher.fetch(request, from)
  }
}

async function sweepRegularly(core: Core, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await core.clock.sleep(SWEEP_MS, signal)
    if (signal.aborted) return
    try {
      await core.sessions.sweep(core.clock.now())
      await core.limits.sweep(core.clock.now())
      await core.artifacts.sweep(core.clock.now())
      await core.oidc.tokens.sweep(core.clock.now())
    } catch (error) {
      core.log.warn('Expired sessions could not be removed', { error })
    }
  }
}
