import type { Accounts } from './accounts/accounts.ts'
import { gatewayRoutes } from './accounts/routes.ts'
import type { AssistantDesk } from './assistant/assistant-desk.ts'
import type { GatewayConfig } from './config/config.ts'
import { belowMount, toMount, toOrigin } from './config/public-url.ts'
import { consoleFiles } from './console/console-files.ts'
import type { ChildDemo } from './demo/child-demo.ts'
import type { RunningDemo } from './demo/demo.ts'
import type { ProcessLog } from './log/log.ts'
import type { KeyRotation } from './keys/key-rotation.ts'
import type { LogPages } from './log/log-pages.ts'
import { createMcp } from './mcp/mcp.ts'
import { createHttpMetrics, metricsText } from './metrics/metrics.ts'
import { openApiDocument } from './openapi.ts'
import { createAccountLimits } from './server/account-limits.ts'
import { createApp } from './server/app.ts'
import type { GatewayRoute } from './server/gateway-route.ts'
import { type HttpServer, listen } from './server/listen.ts'
import type { ServiceFacts } from './service/service-routes.ts'
import { VERSION } from './version.ts'
import type { Channels, Clock } from '@gatepost/channels'
import { randomUUID } from 'node:crypto'

/** Dependencies of the HTTP server. */
export interface AppParts {
  readonly channels: Channels
  readonly accounts: Accounts
  readonly desk: AssistantDesk
  readonly keyRotation: KeyRotation
  readonly pages: LogPages
  readonly clock: Clock
  readonly log: ProcessLog
  readonly stopping: AbortSignal
  readonly database: ServiceFacts['database']
  /** `null` if this service isn't a demo. */
  readonly demo: RunningDemo | null
  /** Starts a separate demo; `null` if that isn't possible from here. */
  readonly childDemo: ChildDemo | null
}

/** @param baseUrl Returns the public origin. Called after the server is listening. */
function createRoutes(
  config: GatewayConfig,
  { channels, accounts, desk, keyRotation, pages, clock, database, demo, childDemo }: AppParts,
  baseUrl: () => string,
): readonly GatewayRoute[] {
  return gatewayRoutes({
    ...accounts,
    channels,
    assistant: desk,
    keyRotation,
    logs: pages,
    service: {
      version: VERSION,
      publicUrl: config.publicUrl,
      database,
      isDemo: demo !== null,
      canStartDemo: childDemo !== null,
      isSecondFactorRequired: config.isStaffFactorRequired,
      nowMs: () => clock.now(),
      assistantKind: () => desk.kind(),
    },
    demo,
    startDemo: childDemo === null ? null : () => childDemo.start(),
    auth: accounts.auth,
    accounts: (page) => accounts.page(page),
    resetAuthenticators: (caller, accountId) => accounts.resetAuthenticators(caller, accountId, baseUrl()),
    invitationLink: (token) => `${baseUrl()}${accounts.invitationPath(token)}`,
  })
}

/** Starts the HTTP server. @throws {StartError} if it can't listen */
export async function serveApp(config: GatewayConfig, parts: AppParts): Promise<HttpServer> {
  const { channels, accounts, clock, log, stopping } = parts
  const { auth, people, audit, readClient: clientOf } = accounts
  const { publicUrl } = config
  const mount = toMount(publicUrl)
  // The server's address is only known once it's listening; the first call comes later.
  const listening: { server: HttpServer | null } = { server: null }
  const baseUrl = (): string => (publicUrl === null ? (listening.server?.url ?? '') : toOrigin(publicUrl))
  const routes = createRoutes(config, parts, baseUrl)
  const mcp = auth.settings.idpOidc.enabled ? createMcp({ channels, audit, log }) : null
  const httpMetrics = createHttpMetrics()
  const limits = createAccountLimits(config.accountLimits, clock)
  const startedAt = clock.now() / 1000
  const app = createApp({
    routes,
    people,
    audit,
    notifyOfAccess: (change) => accounts.accessMail.notify(change, baseUrl()),
    limits,
    clientOf,
    accountPages: {
      handles: (pathname) => auth.handles(accountPath(mount, pathname)),
      isApi: (pathname) => isAccountApi(auth.settings, accountPath(mount, pathname)),
      fetch: (request, from) => auth.fetch(withPath(mount, request), from),
    },
    factorSetupPath: config.isStaffFactorRequired && auth.kernel.has('mfa_index') ? auth.kernel.url('mfa_index') : null,
    addresses: { host: config.host, publicUrl: config.publicUrl, hstsSubdomains: config.hstsSubdomains },
    mcp,
    consoleFiles: consoleFiles(CONSOLE_BUILD),
    health: {
      readiness: () => channels.readiness(),
      metrics: async () =>
        metricsText(await channels.metrics(), [...httpMetrics.metrics(), ...limits.metrics()], usage(startedAt)),
    },
    setups: channels.setups,
    document: { ...openApiDocument(routes, VERSION), servers: [{ url: `${mount}/` }] },
    httpMetrics,
    clock,
    log,
    newId: randomUUID,
    stopping,
  })
  listening.server = await listen(app, { host: config.host, port: config.port }, log)
  return listening.server
}

/** Output folder of `scripts/build-console.cjs`. */
const CONSOLE_BUILD = new URL('../../console/dist/', import.meta.url)

/** Paths of the contract, without a client or a prefix. */
const ALIASES = '/headless/'

/** Account pages know their path prefix. @param pathname Without the prefix. */
const accountPath = (mount: string, pathname: string): string =>
  pathname.startsWith(ALIASES) ? pathname : `${mount}${pathname}`

function withPath(mount: string, request: Request): Request {
  const { pathname, search, origin } = new URL(request.url)
  const asked = accountPath(mount, belowMount(mount, pathname))
  return asked === pathname ? request : new Request(`${origin}${asked}${search}`, request)
}

const isAccountApi = ({ headless }: Accounts['auth']['settings'], pathname: string): boolean =>
  pathname.startsWith(headless.path) || pathname.startsWith(ALIASES)

function usage(startedAt: number): { residentBytes: number; cpuSeconds: number; startedAt: number } {
  const { user, system } = process.cpuUsage()
  return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6, startedAt }
}
