import type { AccessChange } from '../accounts/access-mail.ts'
import type { Audit, Client } from '../accounts/audit/audit.ts'
import type { People } from '../accounts/people.ts'
import type { ConsoleFiles } from '../console/console-files.ts'
import type { AccountLimits } from './account-limits.ts'
import type { Addresses } from './guard.ts'
import type { GatewayRoute } from './gateway-route.ts'
import type { Mcp } from '../mcp/mcp.ts'
import type { HttpMetrics } from '../metrics/metrics.ts'
import type { ChannelSetups, Clock, Log } from '@gatepost/channels'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** Health checks and metrics. */
export interface Health {
  readiness(): Promise<{ readonly database: boolean; readonly enabled: number; readonly running: number }>
  /** Returns Prometheus text. */
  metrics(): Promise<string>
}

/** The account pages of the auth package. */
export interface AccountPages {
  handles(pathname: string): boolean
  /** Whether the path belongs to their JSON API. */
  isApi(pathname: string): boolean
  fetch(request: Request, from: { readonly remoteAddress: string | null }): Promise<Response>
}

/** Dependencies of the HTTP app. */
export interface AppOptions {
  readonly routes: readonly GatewayRoute[]
  readonly audit: Pick<Audit, 'record' | 'recordRepeated'>
  readonly people: Pick<People, 'findCaller' | 'checkCsrf' | 'resolveAccount' | 'requireRecentSignIn'>
  /** Emails the user whose access a call has changed. */
  readonly notifyOfAccess: (change: AccessChange) => Promise<void>
  readonly limits: AccountLimits
  readonly clientOf: (request: Request, remoteAddress: string | null) => Client
  readonly accountPages: AccountPages
  readonly consoleFiles: ConsoleFiles
  /** Path for setting up a required second factor, to which the front page redirects staff; `null`: not required. */
  readonly factorSetupPath: string | null
  readonly addresses: Addresses
  /** `null` if the OpenID Connect provider is disabled, because agents couldn't get a token. */
  readonly mcp: Pick<Mcp, 'fetch'> | null
  readonly health: Health
  readonly setups: Pick<ChannelSetups, 'findStateByCode' | 'isCode'>
  /** The OpenAPI document. */
  readonly document: unknown
  readonly httpMetrics: HttpMetrics
  readonly clock: Clock
  readonly log: Log
  readonly newId: () => string
  /** Aborts when the server starts to stop, which ends streams. */
  readonly stopping: AbortSignal
}

/** Hono's environment. */
export interface AppEnv {
  Bindings: HttpBindings
  Variables: { requestId: string; routeId: string }
}
/** Hono's context of a request. */
export type AppContext = Context<AppEnv>

/** Returns the peer address of the socket; `null` if there is none. */
export function getRemoteAddress(c: AppContext): string | null {
  const env: Partial<AppEnv['Bindings']> | undefined = c.env
  return env?.incoming?.socket.remoteAddress ?? null
}
