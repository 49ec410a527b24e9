import type { Client } from '../accounts/audit/audit.ts'
import type { Caller } from '../accounts/caller.ts'
import { type Route, route, type RouteAnswer, type RouteRequest } from '@gatepost/channels'
import { z } from 'zod'

/** A request to a gateway route. `principal` is the account that the call is about. */
export interface GatewayRequest extends RouteRequest {
  readonly caller: Caller
  readonly client: Client
}

/** A response. `target`: the object in the audit log, if the path doesn't name it. */
export type GatewayAnswer = RouteAnswer & { readonly target?: string }

/** A route of the gateway. */
export interface GatewayRoute extends Omit<Route, 'handle'> {
  /** Tag in the OpenAPI document. */
  readonly tag: 'channels' | 'accounts' | 'service' | 'demo'
  /** Staff may select another account with the query parameter `account`. */
  readonly perAccount?: true
  /** Creates or widens access, so a person must have signed in recently, with their second factor if they have one. */
  readonly needsRecentSignIn?: true
  /** The path's `{id}` is the account that the call is about. For staff routes. */
  readonly accountInPath?: true
  handle(request: GatewayRequest): Promise<GatewayAnswer>
}

const NO_QUERY = z.strictObject({})
const OF_ACCOUNT = {
  account: z.string().min(1).max(100).optional().describe('Id of another account; for staff and the owner token'),
}

/** Returns the query schema of a route, including `account` if it has one. */
export const routeQuery = (route: Pick<GatewayRoute, 'query'>): z.ZodObject => route.query ?? NO_QUERY

/** Converts a channel route: it acts on the caller's account or, for staff, on the selected one. */
export const perAccount = (route: Route): GatewayRoute => ({
  ...route,
  tag: 'channels',
  perAccount: true,
  query: routeQuery(route).extend(OF_ACCOUNT),
})

type TypedGatewayRoute<Q extends z.ZodObject, B extends z.ZodType> = Parameters<
  typeof route<Q, B, GatewayRequest, GatewayAnswer>
>[0] &
  Pick<GatewayRoute, 'perAccount' | 'accountInPath' | 'needsRecentSignIn'>

/** Creates a route about accounts, with typed `query` and `body`. */
export const gatewayRoute = <Q extends z.ZodObject, B extends z.ZodType>(
  typed: TypedGatewayRoute<Q, B>,
): GatewayRoute => createRoute('accounts', typed)

/** Creates a route about the service, with typed `query` and `body`. */
export const serviceRoute = <Q extends z.ZodObject, B extends z.ZodType>(
  typed: TypedGatewayRoute<Q, B>,
): GatewayRoute => createRoute('service', typed)

function createRoute<Q extends z.ZodObject, B extends z.ZodType>(
  tag: GatewayRoute['tag'],
  typed: TypedGatewayRoute<Q, B>,
): GatewayRoute {
  const created: GatewayRoute = { ...typed, tag, ...route<Q, B, GatewayRequest, GatewayAnswer>(typed) }
  return typed.perAccount === true ? { ...created, query: routeQuery(created).extend(OF_ACCOUNT) } : created
}

/** Returns a response with status 200. */
export const ok = (body: unknown, target?: string): GatewayAnswer =>
  target === undefined ? { status: 200, body } : { status: 200, body, target }

/** Describes the only successful response. */
export const answers = (description: string, schema: z.ZodType): GatewayRoute['answers'] => ({
  200: { description, schema },
})
