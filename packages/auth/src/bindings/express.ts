import type { Request as ExpressRequest, RequestHandler, Response as ExpressResponse } from 'express'
import type { Auth } from '../auth.ts'
import type { From, Guarded } from '../guards.ts'
import type { Identity } from '../identity.ts'
import { callerOf, signedIn } from './caller.ts'
import { csrfRefusal } from './csrf-refusal.ts'
import { fromOf, type NodeVisit, urlOf, webHead, webRequest } from './node-request.ts'
import { sendResponse } from './node-response.ts'

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- where Express lets others add to its request
  namespace Express {
    interface Request {
      /** The caller, behind `accounts` or a guard; `null`: nobody is signed in. */
      identity: Identity | null
    }
  }
}

/** Mounts the pages, and says on every other request who the caller is: `app.use(accounts(auth))`. */
export function accounts(auth: Auth): RequestHandler {
  return async (req, res, next) => {
    const visit = visitOf(req, res)
    if (auth.handles(urlOf(visit).pathname)) {
      const request = webRequest(visit)
      return sendResponse(request instanceof Response ? request : await auth.fetch(request, fromOf(req)), res)
    }
    req.identity = await callerOf(auth, req, headOf(req))
    return next()
  }
}

/** Signed in; others are sent to sign in, and come back. */
export function loginRequired(auth: Auth): RequestHandler {
  const toLogin = guard((request) => auth.guards.loginRequired(request))
  return async (req, res, next) => {
    req.identity = await callerOf(auth, req, headOf(req))
    return req.identity === null ? toLogin(req, res, next) : next()
  }
}

/** Signed in with a verified address; to others the verification is sent and shown. */
export const verifiedEmailRequired = (auth: Auth): RequestHandler =>
  guard((request, from) => auth.guards.verifiedEmailRequired(request, from))

/** Proved lately who they are; others do so first. `allowGet` lets GET pass. */
export const reauthenticationRequired = (auth: Auth, options: { readonly allowGet?: boolean } = {}): RequestHandler =>
  guard((request, from) => auth.guards.reauthenticationRequired(request, from, options))

/** Signed in as staff; others get 403. */
export const staffRequired = (auth: Auth): RequestHandler => guard((request) => auth.guards.staffRequired(request))

/** State-changing requests with the session cookie need the token of the cookie `csrftoken` as header `X-CSRFToken`. */
export function csrfProtected(auth: Auth): RequestHandler {
  return async (req, res, next) => {
    const head = webHead(visitOf(req, res))
    const refusal = head instanceof Response ? head : csrfRefusal(auth, head)
    return refusal === null ? next() : sendResponse(refusal, res)
  }
}

/** The caller behind a guard. @throws {AuthError} `login_required` (401) where there is no guard and no caller */
export const identityOf = (req: Pick<ExpressRequest, 'identity'>): Identity => signedIn(req.identity)

function guard(check: (request: Request, from: From) => Promise<Guarded>): RequestHandler {
  return async (req, res, next) => {
    const head = webHead(visitOf(req, res))
    if (head instanceof Response) return sendResponse(head, res)
    const outcome = await check(head, fromOf(req))
    if (!outcome.ok) return sendResponse(outcome.response, res)
    req.identity = outcome.identity
    return next()
  }
}

const visitOf = (req: ExpressRequest, res: ExpressResponse): NodeVisit => ({
  incoming: req,
  outgoing: res,
  target: req.originalUrl,
})

const headOf = ({ headers }: ExpressRequest): { headers: { get(name: string): string | null } } => ({
  headers: { get: (name) => (name === 'cookie' ? (headers.cookie ?? null) : null) },
})
