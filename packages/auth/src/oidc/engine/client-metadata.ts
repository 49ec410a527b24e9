import type { OidcClient } from '../clients.ts'

/** Member of the library's metadata that holds the client as we know it. */
export const OWN_CLIENT = 'gatepost'
/** Where the library wants something to be: the rules of addresses and secrets are ours. */
const ANYWHERE = 'https://redirect.invalid/'
const NEVER_COMPARED = 'compared by the password hasher alone'

/** A client as the library reads it (RFC 7591 section 2). JSON. */
export function toClientMetadata(client: OidcClient): Readonly<Record<string, unknown>> {
  const isCodeAllowed = client.grantTypes.includes('authorization_code')
  const responseTypes = client.responseTypes.filter((type) => type !== 'code' || isCodeAllowed)
  const hasImplicit = responseTypes.some((type) => type !== 'code')
  return {
    client_id: client.id,
    client_name: client.name,
    application_type: 'web',
    ...(client.type === 'confidential'
      ? { token_endpoint_auth_method: 'client_secret_basic', client_secret: NEVER_COMPARED }
      : { token_endpoint_auth_method: 'none' }),
    redirect_uris: responseTypes.length > 0 ? [ANYWHERE] : [],
    response_types: responseTypes,
    grant_types: [...client.grantTypes, ...(hasImplicit ? ['implicit'] : [])],
    scope: client.scopes.join(' '),
    id_token_signed_response_alg: 'RS256',
    [OWN_CLIENT]: client,
  }
}
