import type { Auth } from '../auth.ts'
import { AuthError } from '../errors.ts'
import type { WithHeaders } from '../kernel/http/request-headers.ts'
import type { Identity } from '../kernel/identity.ts'

const CALLERS = Symbol('callers')

/**
 * Cache of one binding package; packages don't share it. Kept on the request itself, since a `WeakMap` would keep both
 * alive until the next full garbage collection.
 */
interface Known {
  [CALLERS]?: Map<Auth, Promise<Identity | null>>
}

/**
 * The caller of a request, read at most once however many ask.
 * @param request What stands for the request in its framework, the same object each time.
 */
export function resolveCaller(auth: Auth, request: object, head: WithHeaders): Promise<Identity | null> {
  const known: Known = request
  known[CALLERS] ??= new Map()
  const caller = known[CALLERS].get(auth) ?? auth.identify(head)
  known[CALLERS].set(auth, caller)
  return caller
}

/**
 * Returns the caller behind a guard, for frameworks whose types can't express it.
 * @throws {AuthError} `login_required` (401) when there is no caller
 */
export function requireIdentity(identity: Identity | null | undefined): Identity {
  if (identity === null || identity === undefined) throw new AuthError('login_required')
  return identity
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The answer, `{ code, message }`, to a state-changing request that another site's page may have made; `null`: none. */
export function csrfRefusal(auth: Auth, request: Request): Response | null {
  if (SAFE_METHODS.has(request.method)) return null
  try {
    auth.checkCsrf(request)
    return null
  } catch (error) {
    if (!(error instanceof AuthError) || error.status >= 500) throw error
    const { code, message, status } = error
    return Response.json({ code, message }, { status, headers: { 'cache-control': 'no-store' } })
  }
}
