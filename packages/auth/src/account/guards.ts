import { settingUrl, withNext } from '../kernel/http/redirects.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Account } from './account.ts'
import { AuthError } from '../errors.ts'
import { redirectUnverified, verifiedEmailRequired } from './email/guard.ts'
import type { PageAnswer } from '../kernel/http/route.ts'
import { createIdentifier, type Identity } from '../kernel/identity.ts'
import type { Visit } from '../kernel/visit.ts'

/** What a guard lets through, or the answer to give instead. */
export type Guarded =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly response: Response }

/** Where a request comes from, as the server knows it. */
export interface From {
  /** Of the socket; `null`: not known. */
  readonly remoteAddress: string | null
}

/** Runs host code as a visit, outside of the account pages. */
export interface Visits {
  /** Whether a path is one of the package's. */
  handles(pathname: string): boolean
  /** @returns the answer that `work` gave, with its cookies; `null`: it gave none */
  visit(request: Request, from: From, work: (visit: Visit) => Promise<PageAnswer | null>): Promise<Response | null>
}

/** Guards for the host's own pages. */
export interface Guards {
  /** Signed in; others are sent to sign in, and come back. */
  loginRequired(request: Request): Promise<Guarded>
  /** Signed in with a verified address; to others the verification is sent and shown. */
  verifiedEmailRequired(request: Request, from?: From): Promise<Guarded>
  /** Proved lately who they are; others do so first. `allowGet` lets GET pass. */
  reauthenticationRequired(request: Request, from?: From, options?: { readonly allowGet?: boolean }): Promise<Guarded>
  /** Signed in as staff; others get 403. */
  staffRequired(request: Request, from?: From): Promise<Guarded>
  /**
   * For a middleware before everything of the host's own: where verification is mandatory, who is signed in without a
   * verified address is sent to `/accounts/verify-email/`. `null`: the request may go on.
   */
  awayUnverified(request: Request, from?: From, options?: UnverifiedOptions): Promise<Response | null>
}

/** Pages that users without a verified address may see in addition to the account pages. */
export interface UnverifiedOptions {
  /** Paths; one with a slash at its end stands for everything below, e.g. `/static/`. */
  readonly allow?: readonly string[]
}

/** @returns 302 to the login page, with the way back. */
function redirectToLogin(kernel: Kernel, request: Request): Response {
  const url = new URL(request.url)
  const page = settingUrl(kernel, kernel.settings.loginUrl)
  return new Response(null, {
    status: 302,
    headers: { location: withNext(page, `${url.pathname}${url.search}`), 'cache-control': 'no-store' },
  })
}

const isAllowed = (pathname: string, { allow = [] }: UnverifiedOptions): boolean =>
  allow.some((path) => pathname === path || (path.endsWith('/') && pathname.startsWith(path)))

/** @param visits Opens the frame of a request for the guards that need its session. */
export function createGuards(account: Account, visits: Visits): Guards {
  const identify = createIdentifier(account.kernel)
  const loginRequired = async (request: Request): Promise<Guarded> => {
    const identity = await identify(request)
    return identity === null
      ? { ok: false, response: redirectToLogin(account.kernel, request) }
      : { ok: true, identity }
  }
  const guarded = async (
    request: Request,
    from: From,
    work: (visit: Visit) => Promise<PageAnswer | null>,
  ): Promise<Guarded> => {
    const first = await loginRequired(request)
    if (!first.ok) return first
    const response = await visits.visit(request, from, work)
    return response === null ? first : { ok: false, response }
  }
  return {
    loginRequired,
    verifiedEmailRequired: (request, from = NOWHERE) =>
      guarded(request, from, (visit) => verifiedEmailRequired(account, visit)),
    async reauthenticationRequired(request, from = NOWHERE, options = {}) {
      if (options.allowGet === true && request.method === 'GET') return loginRequired(request)
      return guarded(request, from, (visit) => requireRecentLogin(account, visit))
    },
    async staffRequired(request, from = NOWHERE) {
      const first = await loginRequired(request)
      if (!first.ok || first.identity.user.isStaff) return first
      return guarded(request, from, () => Promise.reject(new AuthError('permission_denied')))
    },
    async awayUnverified(request, from = NOWHERE, options = {}) {
      const { pathname } = new URL(request.url)
      if (account.kernel.settings.account.emailVerification !== 'mandatory') return null
      if (visits.handles(pathname) || isAllowed(pathname, options)) return null
      if ((await identify(request)) === null) return null
      return visits.visit(request, from, (visit) => redirectUnverified(account, visit))
    },
  }
}

const NOWHERE: From = { remoteAddress: null }

async function requireRecentLogin(account: Account, request: Visit): Promise<PageAnswer | null> {
  if (await account.login.isRecent(request)) return null
  const here = `${request.url.pathname}${request.url.search}`
  const [first] = request.user === null ? [] : await account.adapter.getReauthenticationMethods(request, request.user)
  return {
    kind: 'redirect',
    to: withNext(first?.url ?? settingUrl(account.kernel, account.kernel.settings.loginUrl), here),
  }
}
