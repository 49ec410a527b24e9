import type { AuditEntry } from '../accounts/audit/audit.ts'
import { OWNER } from '../accounts/caller.ts'
import { consoleFiles } from '../console/console-files.ts'
import { gatewayRoutes } from '../accounts/routes.ts'
import { createHttpMetrics, metricsText } from '../metrics/metrics.ts'
import { openApiDocument } from '../openapi.ts'
import { createAccountLimits } from '../server/account-limits.ts'
import { createApp } from '../server/app.ts'
import type { AppOptions } from '../server/app-options.ts'
import type { Addresses } from '../server/guard.ts'
import { listen } from '../server/listen.ts'
import { systemClock } from '../system-clock.ts'
import { fakeAccounts } from './fake-accounts.ts'
import { type FakeChannels, fakeChannels } from './fake-channels.ts'
import type { Clock, Log, LogFields } from '@gatepost/channels'

/** 43 characters, as the owner token has. */
export const TOKEN: string = 'T0kenT0kenT0kenT0kenT0kenT0kenT0kenT0kenT0k'

export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly channels: FakeChannels
  /** What the app was made with. */
  readonly options: AppOptions
  /** What was logged. */
  readonly lines: readonly { readonly level: string; readonly message: string; readonly fields: LogFields }[]
  /** What the audit log was told. */
  readonly audited: readonly AuditEntry[]
  /** The server begins to stop. */
  readonly stopping: AbortController
  /** Sends as the owner, JSON when there is a body. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
}

/** The HTTP surface over a service in memory, on a free port of this machine. */
export async function testServer(options: { clock?: Clock; addresses?: Addresses } = {}): Promise<TestServer> {
  const channels = fakeChannels()
  const clock = options.clock ?? systemClock
  const { log, lines } = memoryLog()
  const routes = gatewayRoutes({ ...fakeAccounts(), channels })
  const audited: AuditEntry[] = []
  const httpMetrics = createHttpMetrics()
  const stopping = new AbortController()
  let ids = 0
  const made: AppOptions = {
    routes,
    people: {
      findCaller: async (request) =>
        new RegExp(`^Bearer ${TOKEN}$`, 'i').test(request.headers.get('authorization') ?? '') ? OWNER : null,
      checkCsrf: () => undefined,
      resolveAccount: async (_caller, named) => ({ accountId: named ?? 'owner' }),
      requireRecentSignIn: async () => undefined,
    },
    limits: createAccountLimits({ requestsPerMinute: 60, concurrentRequests: 10, eventStreams: 5 }, clock),
    audit: {
      record: async (entry) => void audited.push(entry),
      recordRepeated: async (entry) => void audited.push(entry),
    },
    notifyOfAccess: async () => undefined,
    clientOf: (request, ip) => ({ ip, userAgent: request.headers.get('user-agent') }),
    accountPages: {
      handles: () => false,
      isApi: () => false,
      fetch: () => Promise.reject(new Error('there are no pages')),
    },
    consoleFiles: consoleFiles(new URL('fixtures/console/', import.meta.url)),
    factorSetupPath: null,
    mcp: null,
    addresses: options.addresses ?? { host: '127.0.0.1', publicUrl: null },
    setups: channels.setups,
    health: {
      readiness: () => channels.readiness(),
      metrics: async () =>
        metricsText(await channels.metrics(), httpMetrics.metrics(), { residentBytes: 1, cpuSeconds: 2, startedAt: 3 }),
    },
    document: openApiDocument(routes, '1.2.3'),
    httpMetrics,
    clock,
    log,
    newId: () => `request-${++ids}`,
    stopping: stopping.signal,
  }
  const server = await listen(createApp(made), { host: '127.0.0.1', port: 0 }, log)
  return {
    url: server.url,
    channels,
    options: made,
    lines,
    audited,
    stopping,
    call: (method, path, body, headers = {}) =>
      fetch(server.url + path, {
        method,
        headers: {
          authorization: `Bearer ${TOKEN}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await server.close(0)
    },
  }
}

function memoryLog(): { readonly log: Log; readonly lines: TestServer['lines'] } {
  const lines: TestServer['lines'][number][] = []
  const note =
    (level: string) =>
    (message: string, fields: LogFields = {}): void =>
      void lines.push({ level, message, fields })
  return { lines, log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') } }
}
