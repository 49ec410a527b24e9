import type { z } from 'zod'
import type { Principal } from '../channels.ts'
import { ChannelError } from '../errors.ts'
import { type PlatformId, parsePlatformId } from '../platform-names.ts'

/** A permission that a route requires. */
export type Scope = 'channels:read' | 'channels:write' | 'channels:send' | 'account' | 'admin'

/**
 * One route as data: the host generates both the HTTP route and its OpenAPI 3.1 operation from it. The host checks
 * scope, content type, size and JSON, parses `params`, `query` and `body` by these schemas, and turns an error with
 * `status` and `code` into `{ok: false, error, code}`.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{name}` for a parameter, e.g. `/api/channels/{platform}`. */
  readonly path: string
  /** The operation id of the OpenAPI document. */
  readonly id: string
  readonly scope: Scope
  readonly summary: string
  readonly query?: z.ZodObject
  /** JSON body. `optional`: the request may have none. */
  readonly body?: { readonly schema: z.ZodType; readonly optional?: boolean }
  /** Responds with server-sent events; `answers[200].schema` is then the `data:` of one event. */
  readonly stream?: true
  /** A long poll: the response may wait for a change. */
  readonly waits?: true
  /** Reads only, and is not a GET just because it needs a body: not recorded in the audit log. */
  readonly changesNothing?: true
  /** Successful responses, by status. */
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema: z.ZodType }>>
  /** Codes of `CHANNEL_ERRORS` that this route may return besides those of every route. */
  readonly errors: readonly string[]
  handle(request: RouteRequest): Promise<RouteAnswer>
}

/** A request whose parameters the host has parsed. */
export interface RouteRequest {
  readonly principal: Principal
  readonly params: Readonly<Record<string, string>>
  /** As parsed by `query` and `body`. */
  readonly query: unknown
  readonly body: unknown
  /** Aborts when the client disconnects; for a route that `waits`, also when the host stops. */
  readonly signal: AbortSignal
}

/** The response of a route. */
export type RouteAnswer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Server-sent events: `event:` is the value's `type`, `data:` the whole value as JSON. */
  | { readonly events: AsyncIterable<{ readonly type: string }> }

/** Error codes of every route that needs a configured channel. */
export const CHANNEL_NEEDED = ['unknown_platform', 'no_credentials', 'config_broken']

/**
 * A route whose `handle` receives `query` and `body` as its schemas parse them. A host may extend the request (`R`) and
 * the response (`A`).
 */
interface TypedRoute<
  Q extends z.ZodObject,
  B extends z.ZodType,
  R extends RouteRequest = RouteRequest,
  A extends RouteAnswer = RouteAnswer,
> extends Omit<Route, 'query' | 'body' | 'handle'> {
  readonly query?: Q
  readonly body?: { readonly schema: B; readonly optional?: boolean }
  handle(request: Omit<R, 'query' | 'body'> & { readonly query: z.output<Q>; readonly body: z.output<B> }): Promise<A>
}

/** Creates a route with typed `query` and `body`. */
export function route<
  Q extends z.ZodObject,
  B extends z.ZodType,
  R extends RouteRequest = RouteRequest,
  A extends RouteAnswer = RouteAnswer,
>(typed: TypedRoute<Q, B, R, A>): Omit<Route, 'handle'> & { handle(request: R): Promise<A> } {
  return {
    ...typed,
    handle: (request) =>
      typed.handle({
        ...request,
        query: request.query as z.output<Q>, // the host has parsed it by this very schema
        body: request.body as z.output<B>, // likewise
      }),
  }
}

/** Returns the platform in the path. @throws {ChannelError} `unknown_platform` */
export function requirePlatform(params: Readonly<Record<string, string>>): PlatformId {
  const platform = parsePlatformId(params['platform'] ?? '')
  if (platform === undefined) throw new ChannelError('unknown_platform')
  return platform
}

/** Returns a JSON response with status 200. */
export const jsonResponse = (body: unknown, headers?: Readonly<Record<string, string>>): RouteAnswer =>
  headers === undefined ? { status: 200, body } : { status: 200, body, headers }

/** Declares status 200 as the only successful response. */
export const okResponse = (description: string, schema: z.ZodType): Route['answers'] => ({
  200: { description, schema },
})
