import { settingUrl, withNext } from '../kernel/http/redirects.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Account } from './account.ts'
import { AuthError } from '../errors.ts'
import { redirectUnverified, verifiedEmailRequired } from './email/guard.ts'
import type { PageAnswer } from '../kernel/http/route.ts'
import { createIdentifier, type Identity } from '../kernel/identity.ts'
import type { Visit } from '../kernel/visit.ts'

/** Result of a guard: the visitor's identity, or the response to send instead. */
export type Guarded =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly response: Response }

/** The client of a request, as the server sees it. */
export interface From {
  /** IP address of the socket's peer, or `null` if unknown. */
  readonly remoteAddress: string | null
}

/** Runs host code as a visit, outside of the account pages. */
export interface Visits {
  /** Returns whether the package serves a path. */
  handles(pathname: string): boolean
  /** Returns the response for the answer of `work`, with its cookies, or `null` if `work` returned none. */
  visit(request: Request, from: From, work: (visit: Visit) => Promise<PageAnswer | null>): Promise<Response | null>
}

/** Guards for the host's own pages. */
export interface Guards {
  /** Requires a signed-in visitor. Redirects others to sign in and then back. */
  loginRequired(request: Request): Promise<Guarded>
  /** Requires a user with a verified address. Sends others a verification and shows its page. */
  verifiedEmailRequired(request: Request, from?: From): Promise<Guarded>
  /** Requires recent authentication. Redirects others to reauthenticate. `allowGet` exempts GET requests. */
  reauthenticationRequired(request: Request, from?: From, options?: { readonly allowGet?: boolean }): Promise<Guarded>
  /** Requires a staff user. Other signed-in users get a 403. */
  staffRequired(request: Request, from?: From): Promise<Guarded>
  /**
   * For middleware that runs before the host's own routes: if verification is mandatory, redirects signed-in users
   * without a verified address to `/accounts/verify-email/`. Returns `null` if the request may continue.
   */
  redirectUnverified(request: Request, from?: From, options?: UnverifiedOptions): Promise<Response | null>
}

/** Pages that users without a verified address may see in addition to the account pages. */
export interface UnverifiedOptions {
  /** Paths. One that ends in a slash includes everything below it, e.g. `/static/`. */
  readonly allow?: readonly string[]
}

/** Returns a redirect to the login page with the current URL as `next`. */
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

/** Creates the guards. @param visits Runs the guards that need the visitor's session. */
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
    async redirectUnverified(request, from = NOWHERE, options = {}) {
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
