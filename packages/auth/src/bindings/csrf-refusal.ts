import type { Auth } from '../auth.ts'
import { AuthError } from '../errors.ts'

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
