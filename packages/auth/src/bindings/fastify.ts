import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Auth } from '../auth.ts'
import type { From, Guarded, UnverifiedOptions } from '../account/guards.ts'
import type { Identity } from '../kernel/identity.ts'
import { resolveCaller, requireIdentity, csrfRefusal } from './caller.ts'
import { nodePeer, type NodeVisit, parseNodeUrl, toRequestHead, toWebRequest } from './node-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, behind `accounts` or a guard; `null`: nobody is signed in. */
    identity: Identity | null
  }
}

/** For `onRequest` or `preHandler` of a route. */
export type FastifyGuard = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>

/**
 * Mounts the account pages and sets the caller on every other request: `app.register(accounts(auth))`, on the root and
 * before the routes. The pages respond before any body is parsed, so no form parser is needed.
 */
export function accounts(auth: Auth): FastifyPluginAsync {
  const plugin = async (app: FastifyInstance): Promise<void> => {
    if (app.prefix !== '') throw new Error('Register the accounts on the root: their path is the setting pathPrefix.')
    if (!app.hasRequestDecorator('identity')) app.decorateRequest('identity', null)
    app.addHook('onRequest', async (request, reply) => {
      const visit = toFastifyVisit(request, reply)
      if (!auth.handles(parseNodeUrl(visit).pathname)) {
        request.identity = await resolveCaller(auth, request, toFastifyHead(request))
        return
      }
      const asked = toWebRequest(visit)
      return reply.send(asked instanceof Response ? asked : await auth.fetch(asked, nodePeer(request.raw)))
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
    request.identity = await resolveCaller(auth, request, toFastifyHead(request))
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
export const csrfProtected = (auth: Auth): FastifyGuard =>
  rejectRequestWhen(async (request) => csrfRefusal(auth, request))

/**
 * As an `onRequest` hook of the whole application, after `accounts`: where verification is mandatory, redirects
 * signed-in users without a verified address to the verification page. `allow`: paths they may still visit.
 */
export const redirectUnverified = (auth: Auth, options: UnverifiedOptions = {}): FastifyGuard =>
  rejectRequestWhen((request, from) => auth.guards.redirectUnverified(request, from, options))

/** The caller behind a guard. @throws {AuthError} `login_required` (401) where there is no guard and no caller */
export const identityOf = (request: Pick<FastifyRequest, 'identity'>): Identity => requireIdentity(request.identity)

function guard(check: (request: Request, from: From) => Promise<Guarded>): FastifyGuard {
  return async (request, reply) => {
    const head = toRequestHead(toFastifyVisit(request, reply))
    if (head instanceof Response) return reply.send(head)
    const outcome = await check(head, nodePeer(request.raw))
    if (!outcome.ok) return reply.send(outcome.response)
    request.identity = outcome.identity
    return undefined
  }
}

function rejectRequestWhen(check: (request: Request, from: From) => Promise<Response | null>): FastifyGuard {
  return async (request, reply) => {
    const head = toRequestHead(toFastifyVisit(request, reply))
    const refusal = head instanceof Response ? head : await check(head, nodePeer(request.raw))
    return refusal === null ? undefined : reply.send(refusal)
  }
}

/** Returns the request and response of Fastify as those of Node, with the target that the client sent. */
export const toFastifyVisit = (request: FastifyRequest, reply: FastifyReply): NodeVisit => ({
  incoming: request.raw,
  outgoing: reply.raw,
  target: request.originalUrl,
})

const toFastifyHead = ({ raw }: FastifyRequest): { headers: { get(name: string): string | null } } => ({
  headers: { get: (name) => (name === 'cookie' ? (raw.headers.cookie ?? null) : null) },
})
