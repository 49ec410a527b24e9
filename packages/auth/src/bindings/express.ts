import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { From, Guarded, UnverifiedOptions } from '../account/guards.ts'
import type { Auth } from '../auth.ts'
import type { Identity } from '../kernel/identity.ts'
import { resolveCaller, requireIdentity, csrfRefusal } from './caller.ts'
import { nodePeer, type NodeVisit, parseNodeUrl, toRequestHead, toWebRequest } from './node-request.ts'

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- where Express lets others add to its request
  namespace Express {
    interface Request {
      /** The caller, behind `accounts` or a guard; `null`: nobody is signed in. */
      identity: Identity | null
    }
  }
}

/** What of a request of Express is needed here: so a route keeps the types of its own parameters and body. */
export type ExpressVisit = IncomingMessage & Pick<Express.Request, 'identity'> & { readonly originalUrl: string }

/** For `app.use`, `app.get` and the like. */
export type ExpressHandler = (req: ExpressVisit, res: ServerResponse, next: (error?: unknown) => void) => Promise<void>

/** Mounts the account pages and sets the caller on every other request: `app.use(accounts(auth))`. */
export function accounts(auth: Auth): ExpressHandler {
  return async (req, res, next) => {
    const visit = toExpressVisit(req, res)
    if (auth.handles(parseNodeUrl(visit).pathname)) {
      const request = toWebRequest(visit)
      return sendResponse(request instanceof Response ? request : await auth.fetch(request, nodePeer(req)), res)
    }
    req.identity = await resolveCaller(auth, req, toExpressHead(req))
    return next()
  }
}

/** Signed in; others are sent to sign in, and come back. */
export function loginRequired(auth: Auth): ExpressHandler {
  const toLogin = guard((request) => auth.guards.loginRequired(request))
  return async (req, res, next) => {
    req.identity = await resolveCaller(auth, req, toExpressHead(req))
    return req.identity === null ? toLogin(req, res, next) : next()
  }
}

/** Signed in with a verified address; to others the verification is sent and shown. */
export const verifiedEmailRequired = (auth: Auth): ExpressHandler =>
  guard((request, from) => auth.guards.verifiedEmailRequired(request, from))

/** Proved lately who they are; others do so first. `allowGet` lets GET pass. */
export const reauthenticationRequired = (auth: Auth, options: { readonly allowGet?: boolean } = {}): ExpressHandler =>
  guard((request, from) => auth.guards.reauthenticationRequired(request, from, options))

/** Signed in as staff; others get 403. */
export const staffRequired = (auth: Auth): ExpressHandler => guard((request) => auth.guards.staffRequired(request))

/** State-changing requests with the session cookie need the token of the cookie `csrftoken` as header `X-CSRFToken`. */
export const csrfProtected = (auth: Auth): ExpressHandler => rejectWhen(async (request) => csrfRefusal(auth, request))

/**
 * For the whole application, after `accounts`: where verification is mandatory, redirects signed-in users without a
 * verified address to the verification page. `allow`: paths they may still visit.
 */
export const redirectUnverified = (auth: Auth, options: UnverifiedOptions = {}): ExpressHandler =>
  rejectWhen((request, from) => auth.guards.redirectUnverified(request, from, options))

/** The caller behind a guard. @throws {AuthError} `login_required` (401) where there is no guard and no caller */
export const identityOf = (req: Pick<Express.Request, 'identity'>): Identity => requireIdentity(req.identity)

function guard(check: (request: Request, from: From) => Promise<Guarded>): ExpressHandler {
  return async (req, res, next) => {
    const head = toRequestHead(toExpressVisit(req, res))
    if (head instanceof Response) return sendResponse(head, res)
    const outcome = await check(head, nodePeer(req))
    if (!outcome.ok) return sendResponse(outcome.response, res)
    req.identity = outcome.identity
    return next()
  }
}

function rejectWhen(check: (request: Request, from: From) => Promise<Response | null>): ExpressHandler {
  return async (req, res, next) => {
    const head = toRequestHead(toExpressVisit(req, res))
    const refusal = head instanceof Response ? head : await check(head, nodePeer(req))
    return refusal === null ? next() : sendResponse(refusal, res)
  }
}

/** Returns the request and response of Express as those of Node, with the target that the client sent. */
export const toExpressVisit = (
  req: IncomingMessage & { readonly originalUrl: string },
  res: ServerResponse,
): NodeVisit => ({
  incoming: req,
  outgoing: res,
  target: req.originalUrl,
})

const toExpressHead = ({ headers }: ExpressVisit): { headers: { get(name: string): string | null } } => ({
  headers: { get: (name) => (name === 'cookie' ? (headers.cookie ?? null) : null) },
})

/** Headers of which a middleware may have set one already, that stays. */
const ADDED: ReadonlySet<string> = new Set(['set-cookie', 'vary'])

/**
 * Writes `response`, as fast as the client takes it. Resolves when it is written, or when the client is gone: then
 * nothing more is asked of its body.
 * @throws {Error} when its body fails; the connection is cut then, so that nobody takes half an answer for a whole one
 */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const { body } = response
  if (outgoing.destroyed || outgoing.headersSent) return body?.cancel()
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers) {
    if (ADDED.has(name)) outgoing.appendHeader(name, value)
    else outgoing.setHeader(name, value)
  }
  if (body === null || outgoing.req.method === 'HEAD') {
    outgoing.end()
    return body?.cancel()
  }
  try {
    await pipeline(body, outgoing)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
