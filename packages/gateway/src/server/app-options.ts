import type { Authenticate } from './authentication.ts'
import type { Addresses } from './guard.ts'
import type { HttpFigures } from '../metrics/http-figures.ts'
import type { ChannelSetups, Clock, Log, Route } from '@gatepost/channels'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** What the process says of itself without the channel API. */
export interface Health {
  readiness(): Promise<{ readonly database: boolean; readonly enabled: number; readonly running: number }>
  /** Prometheus text. */
  metrics(): Promise<string>
}

/** What the HTTP surface is made of. */
export interface AppOptions {
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  readonly addresses: Addresses
  readonly health: Health
  readonly setups: Pick<ChannelSetups, 'stateOf'>
  /** The OpenAPI document. */
  readonly document: unknown
  readonly figures: HttpFigures
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
