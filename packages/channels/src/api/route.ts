import type { z } from 'zod'
import type { Principal } from '../channels.ts'

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
