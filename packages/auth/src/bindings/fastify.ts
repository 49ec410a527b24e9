import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Auth } from '../auth.ts'
import type { From, Guarded, UnverifiedOptions } from '../account/guards.ts'
import type { Identity } from '../kernel/identity.ts'
import { callerOf, signedIn } from './caller.ts'
import { csrfRefusal } from './csrf-refusal.ts'
import { fromOf, type NodeVisit, urlOf, webHead, webRequest } from './node-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, behind `accounts` or a guard; `null`: nobody is signed in. */
    identity: Identity | null
  }
}

/** For `onRequest` or `preHandler` of a route. */
export type FastifyGuard = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>

/**
 * Mounts the pages, and says on every other request who the caller is: `app.register(accounts(auth))`, on the root and
 * before the routes. The pages are answered before any body is parsed, so no parser of forms is needed.
 */
export function accounts(auth: Auth): FastifyPluginAsync {
  const plugin = async (app: FastifyInstance): Promise<void> => {
    if (app.prefix !== '') throw new Error('Register the accounts on the root: their path is the setting pathPrefix.')
    if (!app.hasRequestDecorator('identity')) app.decorateRequest('identity', null)
    app.addHook('onRequest', async (request, reply) => {
      const visit = visitOf(request, reply)
      if (!auth.handles(urlOf(visit).pathname)) {
        request.identity = await callerOf(auth, request, headOf(request))
        return
      }
      const asked = webRequest(visit)
      return reply.send(asked instanceof Response ? asked : await auth.fetch(asked, fromOf(request.raw)))
    })
  }
  // As `fastify-plugin` does: what it adds is there for the whole application.
  return Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: '@gatepost/auth',
  })
}

/** Signed in; others are sent to sign in, and come back. */
export function loginRequired(auth: Auth): FastifyGuard {
  const toLogin = guard((request) => auth.guards.loginRequired(request))
  return async (request, reply) => {
    request.identity = await callerOf(auth, request, headOf(request))
    return request.identity === null ? toLogin(request, reply) : undefined
  }
}

/** Signed in with a verified address; to others the verification is sent and shown. */
export const verifiedEmailRequired = (auth: Auth): FastifyGuard =>
  guard((request, from) => auth.guards.verifiedEmailRequired(request, from))

/** Proved lately who they are; others do so first. `allowGet` lets GET pass. */
export const reauthenticationRequired = (auth: Auth, options: { readonly allowGet?: boolean } = {}): FastifyGuard =>
  guard((request, from) => auth.guards.reauthenticationRequired(request, from, options))

/** Signed in as staff; others get 403. */
export const staffRequired = (auth: Auth): FastifyGuard => guard((request) => auth.guards.staffRequired(request))

/** State-changing requests with the session cookie need the token of the cookie `csrftoken` as header `X-CSRFToken`. */
export const csrfProtected = (auth: Auth): FastifyGuard => refusing(async (request) => csrfRefusal(auth, request))

/**
 * As `onRequest` hook of the whole application, after `accounts`: where verification is mandatory, who is signed in without a verified
 * address is sent to verify it. `allow`: what they may see all the same.
 */
export const awayUnverified = (auth: Auth, options: UnverifiedOptions = {}): FastifyGuard =>
  refusing((request, from) => auth.guards.awayUnverified(request, from, options))

/** The caller behind a guard. @throws {AuthError} `login_required` (401) where there is no guard and no caller */
export const identityOf = (request: Pick<FastifyRequest, 'identity'>): Identity => signedIn(request.identity)

function guard(check: (request: Request, from: From) => Promise<Guarded>): FastifyGuard {
  return async (request, reply) => {
    const head = webHead(visitOf(request, reply))
    if (head instanceof Response) return reply.send(head)
    const outcome = await check(head, fromOf(request.raw))
    if (!outcome.ok) return reply.send(outcome.response)
    request.identity = outcome.identity
    return undefined
  }
}

function refusing(check: (request: Request, from: From) => Promise<Response | null>): FastifyGuard {
  return async (request, reply) => {
    const head = webHead(visitOf(request, reply))
    const refusal = head instanceof Response ? head : await check(head, fromOf(request.raw))
    return refusal === null ? undefined : reply.send(refusal)
  }
}

/** Returns the request and response of Fastify as those of Node, with the target that the client sent. */
export const visitOf = (request: FastifyRequest, reply: FastifyReply): NodeVisit => ({
  incoming: request.raw,
  outgoing: reply.raw,
  target: request.originalUrl,
})

const headOf = ({ raw }: FastifyRequest): { headers: { get(name: string): string | null } } => ({
  headers: { get: (name) => (name === 'cookie' ? (raw.headers.cookie ?? null) : null) },
})
