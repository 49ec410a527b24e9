import type { Kernel } from '../../kernel/kernel.ts'
import { type CookieAttributes, readCookie, expireCookie, setCookie } from '../../kernel/http/cookies.ts'
import type { Visit } from '../../kernel/visit.ts'

/** Where what a provider posted waits for the visitor's own session, which is not sent with a form of another site. */
export interface Handover {
  /** Name of the cookie. */
  readonly cookie: string
  /** Path of the page that goes on, which alone gets the cookie. */
  readonly finishPath: string
}

const KIND = 'provider_post'
const LIFE_MS = 300_000
const ID_BYTES = 24

/** Keeps the posted fields, or `params` in their place, for the finish page. */
export async function handOver(
  request: Visit,
  { cookie, finishPath }: Handover,
  params: Iterable<readonly [string, string]> = request.form,
): Promise<void> {
  const id = request.kernel.random(ID_BYTES).toString('base64url')
  await request.kernel.artifacts.put(request.db, KIND, id, {
    payload: { finishPath, params: [...params] },
    expiresAtMs: request.nowMs + LIFE_MS,
  })
  request.setCookies.push(setCookie(cookie, id, attributes(request.kernel, finishPath)))
}

/** Returns the posted parameters, or `null` if nothing is pending for this visitor. Call `forget` when done. */
export async function takeOver(
  request: Visit,
  { cookie, finishPath }: Handover,
): Promise<{ readonly params: URLSearchParams; forget(): Promise<void> } | null> {
  const id = readCookie(request.raw.headers.get('cookie'), cookie)
  if (id === null || id === '') return null
  // A request that is run again, as its session was changed, must find it again: so it is not taken at once.
  const found = await request.kernel.artifacts.get(request.db, KIND, id, request.nowMs)
  const params = found === null ? null : readHandedOverParams(found.payload, finishPath)
  if (params === null) return null
  return {
    params,
    async forget() {
      await request.kernel.artifacts.remove(request.db, KIND, id)
      request.setCookies.push(expireCookie(cookie, attributes(request.kernel, finishPath)))
    },
  }
}

function readHandedOverParams(payload: unknown, finishPath: string): URLSearchParams | null {
  const kept = payload as { readonly finishPath: string; readonly params: [string, string][] } // written by `handOver` alone
  return kept.finishPath === finishPath ? new URLSearchParams(kept.params) : null
}

/** A strict cookie would not come along on the way from another site. */
const attributes = ({ settings }: Pick<Kernel, 'settings'>, path: string): CookieAttributes => ({
  path,
  domain: null,
  secure: settings.sessionCookieSecure,
  httpOnly: true,
  sameSite: settings.sessionCookieSamesite === 'None' ? 'None' : 'Lax',
  maxAge: null,
})
