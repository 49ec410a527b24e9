import type { OidcClient } from '../clients.ts'
import { isRegisteredOrigin } from '../redirect-uri.ts'
import type { EngineParts } from './parts.ts'

const MAX_AGE_SECONDS = '3600'
const ORIGIN = 'access-control-allow-origin'

/** Anybody's scripts may read what is public. */
export function openToAll(response: Response): Response {
  response.headers.set(ORIGIN, '*')
  return response
}

/** Scripts of the registered origins of a client may read its answers. @param client `null`: it is not known. */
export function openTo(response: Response, raw: Request, client: OidcClient | null): Response {
  const origin = raw.headers.get('origin')
  response.headers.append('vary', 'Origin')
  if (origin === null || client === null || !isRegisteredOrigin(origin, client)) return response
  response.headers.set(ORIGIN, origin)
  response.headers.set('access-control-expose-headers', 'WWW-Authenticate')
  return response
}

/** What a browser asks before a script may call; who calls is not known then, so any client's origin will do. */
export async function preflight(
  { oidc }: EngineParts,
  raw: Request,
  methods: string,
  isOpen: boolean,
): Promise<Response> {
  const headers = new Headers({ vary: 'Origin', allow: methods })
  const origin = raw.headers.get('origin')
  if (origin !== null && (isOpen || (await isAnyones(oidc, origin)))) {
    headers.set(ORIGIN, isOpen ? '*' : origin)
    headers.set('access-control-allow-methods', methods)
    headers.set('access-control-allow-headers', 'authorization, content-type')
    headers.set('access-control-max-age', MAX_AGE_SECONDS)
  }
  return new Response(null, { status: 204, headers })
}

const isAnyones = async (oidc: EngineParts['oidc'], origin: string): Promise<boolean> =>
  (await oidc.clients.withOrigins(oidc.kernel.database.db)).some((client) => isRegisteredOrigin(origin, client))
