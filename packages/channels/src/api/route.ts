import type { z } from 'zod'
import type { Principal } from '../channels.ts'
import { ChannelError } from '../errors.ts'
import { type PlatformId, platformNamed } from '../platform-names.ts'

/** What a caller must be allowed to do. */
export type Scope = 'channels:read' | 'channels:write' | 'channels:send' | 'account' | 'admin'

/**
 * One route as data: the host turns it into HTTP and into OpenAPI 3.1, so both always say the same.
 * The host checks scope, content type, size and JSON, parses `params`, `query` and `body` by these schemas, and turns
 * an error with `status` and `code` into `{ok: false, error, code}`.
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
  /** Answers with server-sent events; `answers[200].schema` is then the `data:` of one event. */
  readonly stream?: true
  /** Holds its answer back until something changes. */
  readonly waits?: true
  /** Of another method than GET, for its body alone: nobody needs to know afterwards that it was asked. */
  readonly changesNothing?: true
  /** The answer when all goes well, by status. */
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema: z.ZodType }>>
  /** Codes of `CHANNEL_ERRORS` that this route may answer besides those that every route may. */
  readonly errors: readonly string[]
  handle(request: RouteRequest): Promise<RouteAnswer>
}

export interface RouteRequest {
  readonly principal: Principal
  readonly params: Readonly<Record<string, string>>
  /** As parsed by `query` and `body`. */
  readonly query: unknown
  readonly body: unknown
  /** Aborts when the client has gone; of a route that `waits` also when the host stops. */
  readonly signal: AbortSignal
}

export type RouteAnswer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Server-sent events: `event:` is the value's `type`, `data:` the whole value as JSON. */
  | { readonly events: AsyncIterable<{ readonly type: string }> }

/** Of what asks for one configured channel. */
export const CHANNEL_NEEDED = ['unknown_platform', 'no_credentials', 'config_broken']

/** A route as it is written here: `handle` sees `query` and `body` as its own schemas parse them. */
interface TypedRoute<Q extends z.ZodObject, B extends z.ZodType> extends Omit<Route, 'query' | 'body' | 'handle'> {
  readonly query?: Q
  readonly body?: { readonly schema: B; readonly optional?: boolean }
  handle(request: {
    readonly principal: Principal
    readonly params: Readonly<Record<string, string>>
    readonly query: z.output<Q>
    readonly body: z.output<B>
    readonly signal: AbortSignal
  }): Promise<RouteAnswer>
}

/** Keeps the types of `query` and `body` for `handle`. */
export function route<Q extends z.ZodObject, B extends z.ZodType>(typed: TypedRoute<Q, B>): Route {
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

/** @throws {ChannelError} `unknown_platform` */
export function platformOf(params: Readonly<Record<string, string>>): PlatformId {
  const platform = platformNamed(params['platform'] ?? '')
  if (platform === undefined) throw new ChannelError('unknown_platform')
  return platform
}

/** Status 200. */
export const ok = (body: unknown, headers?: Readonly<Record<string, string>>): RouteAnswer =>
  headers === undefined ? { status: 200, body } : { status: 200, body, headers }

/** The one answer when all goes well. */
export const answers = (description: string, schema: z.ZodType): Route['answers'] => ({ 200: { description, schema } })
