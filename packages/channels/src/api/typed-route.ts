import type { Principal } from '../channels.ts'
import { ChannelError } from '../errors.ts'
import { type PlatformId, platformNamed } from '../platform-names.ts'
import type { Route, RouteAnswer } from './route.ts'
import type { z } from 'zod'

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
