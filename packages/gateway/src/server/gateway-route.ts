import type { Client } from '../accounts/audit/audit.ts'
import type { Caller } from '../accounts/caller.ts'
import type { Route, RouteAnswer, RouteRequest } from '@gatepost/channels'
import { z } from 'zod'

/** What a route of the gateway itself sees besides. `principal` is the account that the call is about. */
export interface GatewayRequest extends RouteRequest {
  readonly caller: Caller
  readonly client: Client
}

/** `target`: what the audit log says that it was done to, where the path does not. */
export type GatewayAnswer = RouteAnswer & { readonly target?: string }

/** A route as the gateway serves it. */
export interface GatewayRoute extends Omit<Route, 'handle'> {
  /** Group of the OpenAPI document. */
  readonly tag: 'channels' | 'accounts' | 'service' | 'demo'
  /** Staff name another account than their own by the query's `account`. */
  readonly perAccount?: true
  /** The account that the call is about is the path's `{id}`: of a route for staff alone. */
  readonly accountInPath?: true
  handle(request: GatewayRequest): Promise<GatewayAnswer>
}

const NO_QUERY = z.strictObject({})
const OF_ACCOUNT = {
  account: z.string().min(1).max(100).optional().describe('Id of another account: for staff, and the owner token'),
}

/** The query that a route takes, `account` included where it is about one. */
export const queryOfRoute = (route: Pick<GatewayRoute, 'query'>): z.ZodObject => route.query ?? NO_QUERY

/** A route of the channels: about the caller's own account, or for staff about the one that they name. */
export const perAccount = (route: Route): GatewayRoute => ({
  ...route,
  tag: 'channels',
  perAccount: true,
  query: queryOfRoute(route).extend(OF_ACCOUNT),
})

/** A route as it is written: `handle` sees `query` and `body` as its own schemas parse them. */
interface TypedRoute<Q extends z.ZodObject, B extends z.ZodType>
  extends Omit<GatewayRoute, 'query' | 'body' | 'handle' | 'tag'> {
  readonly query?: Q
  readonly body?: { readonly schema: B; readonly optional?: boolean }
  handle(
    request: Omit<GatewayRequest, 'query' | 'body'> & { readonly query: z.output<Q>; readonly body: z.output<B> },
  ): Promise<GatewayAnswer>
}

/** A route about accounts. Keeps the types of `query` and `body` for `handle`. */
export const gatewayRoute = <Q extends z.ZodObject, B extends z.ZodType>(typed: TypedRoute<Q, B>): GatewayRoute =>
  routeOf('accounts', typed)

/** A route about the service itself. Keeps the types of `query` and `body` for `handle`. */
export const serviceRoute = <Q extends z.ZodObject, B extends z.ZodType>(typed: TypedRoute<Q, B>): GatewayRoute =>
  routeOf('service', typed)

function routeOf<Q extends z.ZodObject, B extends z.ZodType>(
  tag: GatewayRoute['tag'],
  typed: TypedRoute<Q, B>,
): GatewayRoute {
  const { query, ...others } = typed
  const asked =
    typed.perAccount === true ? queryOfRoute(query === undefined ? {} : { query }).extend(OF_ACCOUNT) : query
  return {
    ...others,
    ...(asked !== undefined && { query: asked }),
    tag,
    handle: (request) =>
      typed.handle({
        ...request,
        query: request.query as z.output<Q>, // the host has parsed it by this very schema
        body: request.body as z.output<B>, // likewise
      }),
  }
}

/** Status 200. */
export const ok = (body: unknown, target?: string): GatewayAnswer =>
  target === undefined ? { status: 200, body } : { status: 200, body, target }

/** The one answer when all goes well. */
export const answers = (description: string, schema: z.ZodType): GatewayRoute['answers'] => ({
  200: { description, schema },
})
