import type { Audit, Client } from '../accounts/audit/audit.ts'
import type { People } from '../accounts/people.ts'
import type { ConsoleFiles } from '../console/console-files.ts'
import type { Addresses } from './guard.ts'
import type { GatewayRoute } from './gateway-route.ts'
import type { Mcp } from '../mcp/mcp.ts'
import type { HttpMetrics } from '../metrics/metrics.ts'
import type { ChannelSetups, Clock, Log } from '@gatepost/channels'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** What the process says of itself without the channel API. */
export interface Health {
  readiness(): Promise<{ readonly database: boolean; readonly enabled: number; readonly running: number }>
  /** Prometheus text. */
  metrics(): Promise<string>
}

/** The pages of accounts, which are a package of their own. */
export interface AccountPages {
  handles(pathname: string): boolean
  /** Whether such a path is one of their JSON API. */
  isApi(pathname: string): boolean
  fetch(request: Request, from: { readonly remoteAddress: string | null }): Promise<Response>
}

/** What the HTTP surface is made of. */
export interface AppOptions {
  readonly routes: readonly GatewayRoute[]
  readonly people: Pick<People, 'findCaller' | 'checkCsrf' | 'resolveAccount'>
  readonly audit: Pick<Audit, 'record'>
  readonly clientOf: (request: Request, remoteAddress: string | null) => Client
  readonly accountPages: AccountPages
  readonly consoleFiles: ConsoleFiles
  /** Where staff who lack the second factor that they must have are led from the front page; `null`: nowhere. */
  readonly factorSetupPath: string | null
  readonly addresses: Addresses
  /** `null`: there are no tools for agents, as nobody could be given a token for them. */
  readonly mcp: Pick<Mcp, 'fetch'> | null
  readonly health: Health
  readonly setups: Pick<ChannelSetups, 'findStateByCode'>
  /** The OpenAPI document. */
  readonly document: unknown
  readonly figures: HttpMetrics
  readonly clock: Clock
  readonly log: Log
  readonly newId: () => string
  /** Aborts when the server begins to stop: streams end. */
  readonly stopping: AbortSignal
}

/** What Hono knows of a request here. */
export interface AppEnv {
  Bindings: HttpBindings
  Variables: { requestId: string; routeId: string }
}
export type AppContext = Context<AppEnv>

/** Address of the socket's other end; `null`: there is no socket. */
export function getRemoteAddress(c: AppContext): string | null {
  const env: Partial<AppEnv['Bindings']> | undefined = c.env
  return env?.incoming?.socket.remoteAddress ?? null
}
