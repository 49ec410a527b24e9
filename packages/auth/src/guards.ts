import type { Core } from './core.ts'
import { withNext } from './account/page-context.ts'
import type { Identity } from './identity.ts'

/** What a guard lets through, or the answer to give instead. */
export type Guarded =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly response: Response }

/** Where a request comes from, as the server knows it. */
export interface From {
  /** Of the socket; `null`: not known. */
  readonly remoteAddress: string | null
}

/** Who may go on to a page of the host's own. */
export interface Guards {
  /** Signed in; others are sent to sign in, and come back. */
  loginRequired(request: Request): Promise<Guarded>
  /** Signed in with a verified address; to others the verification is sent and shown. */
  verifiedEmailRequired(request: Request, from?: From): Promise<Guarded>
  /** Proved lately who they are; others do so first. `allowGet` lets GET pass. */
  reauthenticationRequired(request: Request, from?: From, options?: { readonly allowGet?: boolean }): Promise<Guarded>
  /** Signed in as staff; others get 403. */
  staffRequired(request: Request): Promise<Guarded>
}

/** @returns 302 to the login page, with the way back. */
export function toLogin(core: Core, request: Request): Response {
  const { loginUrl } = core.settings
  const url = new URL(request.url)
  const page = core.has(loginUrl) ? core.url(loginUrl) : loginUrl
  return new Response(null, {
    status: 302,
    headers: { location: withNext(page, `${url.pathname}${url.search}`), 'cache-control': 'no-store' },
  })
}
