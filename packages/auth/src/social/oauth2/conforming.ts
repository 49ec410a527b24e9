import { isRecord } from '../../kernel/settings/kind.ts'
import { type ExchangeCall, ProviderError } from '../exchange.ts'
import { parseForeignJson } from '../wire/provider-reply.ts'

/** A token request by RFC 6749 section 4.1.3, with PKCE. */
export interface ConformingRequest {
  /** An https URL. */
  readonly tokenUrl: string
  readonly clientId: string
  readonly secret: string
  /** Whether to send the secret by HTTP Basic; otherwise it's in the form. */
  readonly basic: boolean
  readonly redirectUri: string
  readonly verifier: string
  /** The callback's parameters; the caller has checked the error, issuer, and state. */
  readonly callback: URLSearchParams
}

/**
 * Exchanges a code at a provider that conforms to the standards. Doesn't check an ID token in the reply; its reader
 * does.
 * @throws {ProviderError} `unknown`
 * @see RFC 6749 sections 4.1.3 and 5
 */
export async function conformingTokenReply(call: ExchangeCall, request: ConformingRequest): Promise<unknown> {
  const oauth = await import('oauth4webapi')
  const { tokenUrl, clientId, secret, verifier } = request
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl }
  const skew = Math.round((call.io.clock.now() - Date.now()) / 1000)
  const client = { client_id: clientId, [oauth.clockSkew]: skew }
  const auth =
    secret === '' ? oauth.None() : request.basic ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret)
  const params = new URLSearchParams(request.callback)
  for (const name of ['state', 'iss']) params.delete(name)
  const options = {
    [oauth.customFetch]: (url: string, init: RequestInit) => call.io.fetch(new Request(url, init)),
  }
  const answered = async (): Promise<unknown> => {
    const checked = oauth.validateAuthResponse(server, client, params, oauth.expectNoState)
    const reply = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      checked,
      request.redirectUri,
      verifier,
      options,
    )
    const { idToken, rest } = await splitIdToken(reply)
    return { ...(await oauth.processAuthorizationCodeResponse(server, client, rest)), id_token: idToken }
  }
  const outcome = await answered().catch((error: unknown) => ({ refused: describeLibraryError(oauth, error) }))
  if (typeof outcome === 'object' && outcome !== null && 'refused' in outcome) {
    throw new ProviderError('unknown', `the token request failed: ${String(outcome.refused)}`)
  }
  return outcome
}

/** Removes the ID token, because the library rejects ID tokens of unknown issuers, requested or not. */
async function splitIdToken(reply: Response): Promise<{ readonly idToken: unknown; readonly rest: Response }> {
  const text = await reply.text()
  const members = parseForeignJson(text)
  if (!isRecord(members)) return { idToken: undefined, rest: new Response(text, reply) }
  const { id_token: idToken, ...rest } = members
  return { idToken, rest: new Response(JSON.stringify(rest), reply) }
}

/** Describes an error by status and code only, because errors of the library contain the reply. */
function describeLibraryError(oauth: typeof import('oauth4webapi'), error: unknown): string {
  if (error instanceof oauth.ResponseBodyError) {
    return `status ${error.status}${/^[\w.-]{1,64}$/.test(error.error) ? ` (${error.error})` : ''}`
  }
  if (error instanceof oauth.UnsupportedOperationError) return 'a callback that does not conform'
  if (error instanceof oauth.OperationProcessingError) return error.code ?? 'a reply that does not conform'
  return error instanceof ProviderError ? error.message : 'no answer'
}
