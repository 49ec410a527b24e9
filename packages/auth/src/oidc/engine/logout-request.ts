import type { Visit } from '../../kernel/visit.ts'
import type { OidcClient } from '../clients.ts'
import type { RequestedLogout } from '../oidc.ts'
import { isRegisteredUri } from '../redirect-uri.ts'
import { verifiedClaims } from '../signed-jwt.ts'
import type { EngineParts } from './parts.ts'

/** Characters. A `state` goes back as it came. */
const LONGEST_STATE = 2_000

/**
 * What a logout that a client starts asks for. A hint that is none of ours counts for nothing; where it names another
 * client than the request does, nobody is named. @see OpenID Connect RP-Initiated Logout 1.0
 */
export async function requestedLogout(
  parts: EngineParts,
  request: Visit,
  params: URLSearchParams,
): Promise<RequestedLogout> {
  const { oidc, keys } = parts
  const claims = verifiedClaims(await keys.freshRing(), params.get('id_token_hint') ?? '')
  const isOurs = claims?.['iss'] === oidc.issuer(request.url) && claims['token_use'] === undefined
  const audience = isOurs && typeof claims['aud'] === 'string' ? claims['aud'] : null
  const named = params.get('client_id')
  const isMismatch = audience !== null && named !== null && audience !== named
  const id = isMismatch ? null : (audience ?? named)
  const client = id === null ? null : await oidc.clients.byId(oidc.kernel.database.db, id)
  const hinted = client !== null && audience !== null ? claims?.['sub'] : undefined
  const { user } = request
  return {
    client,
    isForUser: client !== null && user !== null && hinted === oidc.adapter.getUserSub(client, user),
    redirectTo: client === null ? null : target(client, params),
  }
}

function target(client: OidcClient, params: URLSearchParams): string | null {
  const uri = params.get('post_logout_redirect_uri')
  if (uri === null || !isRegisteredUri(uri, client.postLogoutRedirectUris, client)) return null
  const state = params.get('state')
  if (state === null || state.length > LONGEST_STATE) return uri
  const to = new URL(uri)
  to.searchParams.set('state', state)
  return to.href
}
