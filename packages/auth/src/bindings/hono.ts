import type { Context, MiddlewareHandler } from 'hono'
import { cloneRawRequest } from 'hono/request'
import type { Auth } from '../auth.ts'
import type { From, Guarded, UnverifiedOptions } from '../account/guards.ts'
import type { Identity } from '../kernel/identity.ts'
import { resolveCaller, csrfRefusal } from './caller.ts'

/** `new Hono<AccountsEnv>()`: `c.var.identity` is the caller behind `accounts`, `null` when nobody is signed in. */
export interface AccountsEnv {
  Variables: { identity: Identity | null }
}
/** Behind a guard `c.var.identity` is never `null`. */
export interface SignedInEnv {
  Variables: { identity: Identity }
}
/** How a request comes in. */
export interface HonoOptions {
  /** Address of the socket, on other servers than `@hono/node-server`. `null`: not known. */
  readonly remoteAddress?: (c: Context) => string | null
}

/** Mounts the account pages and sets the caller on every other request: `app.use(accounts(auth))`. */
export function accounts(auth: Auth, options: HonoOptions = {}): MiddlewareHandler<AccountsEnv> {
  return async (c, next) => {
    if (auth.handles(new URL(c.req.url).pathname)) {
      // A form that a middleware has read is written down again.
      const request = c.req.raw.bodyUsed ? await cloneRawRequest(c.req) : c.req.raw
      return auth.fetch(request, honoPeer(c, options))
    }
    c.set('identity', await resolveCaller(auth, c.req.raw, c.req.raw))
    return next()
  }
}

/** Signed in; others are sent to sign in, and come back. */
export const loginRequired = (auth: Auth): MiddlewareHandler<SignedInEnv> =>
  guard(async (request) => {
    const identity = await resolveCaller(auth, request, request)
    return identity === null ? auth.guards.loginRequired(request) : { ok: true, identity }
  }, {})

/** Signed in with a verified address; to others the verification is sent and shown. */
export const verifiedEmailRequired = (auth: Auth, options: HonoOptions = {}): MiddlewareHandler<SignedInEnv> =>
  guard((request, from) => auth.guards.verifiedEmailRequired(request, from), options)

/** Proved lately who they are; others do so first. `allowGet` lets GET pass. */
export const reauthenticationRequired = (
  auth: Auth,
  options: HonoOptions & { readonly allowGet?: boolean } = {},
): MiddlewareHandler<SignedInEnv> =>
  guard((request, from) => auth.guards.reauthenticationRequired(request, from, options), options)

/** Signed in as staff; others get 403. */
export const staffRequired = (auth: Auth): MiddlewareHandler<SignedInEnv> =>
  guard((request) => auth.guards.staffRequired(request), {})

/** State-changing requests with the session cookie need the token of the cookie `csrftoken` as header `X-CSRFToken`. */
export function csrfProtected(auth: Auth): MiddlewareHandler {
  return async (c, next) => csrfRefusal(auth, c.req.raw) ?? next()
}

/**
 * For the whole application, after `accounts`: where verification is mandatory, redirects signed-in users without a
 * verified address to the verification page. `allow`: paths they may still visit.
 */
export function redirectUnverified(auth: Auth, options: HonoOptions & UnverifiedOptions = {}): MiddlewareHandler {
  return async (c, next) => (await auth.guards.redirectUnverified(c.req.raw, honoPeer(c, options), options)) ?? next()
}

function guard(
  check: (request: Request, from: From) => Promise<Guarded>,
  options: HonoOptions,
): MiddlewareHandler<SignedInEnv> {
  return async (c, next) => {
    const outcome = await check(c.req.raw, honoPeer(c, options))
    if (!outcome.ok) return outcome.response
    c.set('identity', outcome.identity)
    return next()
  }
}

function honoPeer(c: Context, options: HonoOptions): From {
  const remoteAddress = options.remoteAddress === undefined ? socketAddress(c.env) : options.remoteAddress(c)
  return { remoteAddress }
}

/** Of the bindings that `@hono/node-server` gives: `incoming`, or `server.incoming`. */
function socketAddress(bindings: unknown): string | null {
  const socket = readProperty(readProperty(readProperty(bindings, 'server') ?? bindings, 'incoming'), 'socket')
  const address = readProperty(socket, 'remoteAddress')
  return typeof address === 'string' ? address : null
}

function readProperty(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || !(name in holder)) return undefined
  const value: unknown = Reflect.get(holder, name)
  return value
}
