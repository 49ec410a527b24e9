import { jsonResponse } from '../../kernel/http/json-response.ts'
import { hasUserinfo } from '../paths.ts'
import { publicJwks } from '../signing-keys.ts'
import { ACR_VALUES } from './session.ts'
import type { Call, EngineParts } from './parts.ts'

/** What clients need to know of us. @see OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2 */
export async function discovery({ oidc }: EngineParts, { url, issuer }: Call): Promise<Response> {
  const { settings } = oidc.kernel
  const { idpOidc } = settings
  const { paths } = oidc
  const at = (path: string): string => `${url.origin}${path}`
  const responseTypes = new Set(['code', ...(await oidc.clients.responseTypes(oidc.kernel.database.db))])
  const hasImplicit = responseTypes.size > 1
  const methods = ['client_secret_basic', 'client_secret_post', 'none']
  return jsonResponse(
    {
      issuer,
      authorization_endpoint: at(paths.authorize),
      token_endpoint: at(paths.token),
      userinfo_endpoint: hasUserinfo(settings) ? at(paths.userinfo) : idpOidc.userinfoEndpoint,
      jwks_uri: at(paths.jwks),
      revocation_endpoint: at(paths.revoke),
      introspection_endpoint: at(paths.introspect),
      device_authorization_endpoint: at(paths.deviceCode),
      end_session_endpoint: at(paths.logout),
      registration_endpoint: idpOidc.dynamicClientRegistrationEnabled ? at(paths.register) : undefined,
      scopes_supported: [...new Set(['openid', ...Object.keys(oidc.adapter.scopeDisplay)])],
      response_types_supported: [...responseTypes],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      grant_types_supported: [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
        ...(hasImplicit ? ['implicit'] : []),
      ],
      token_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_methods_supported: methods,
      introspection_endpoint_auth_methods_supported: methods,
      code_challenge_methods_supported: ['S256'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      acr_values_supported: ACR_VALUES,
      claims_supported: ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'acr', 'amr', 'nonce', ...PERSONAL],
      prompt_values_supported: ['none', 'login', 'consent'],
      authorization_response_iss_parameter_supported: true,
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    },
    200,
  )
}

const PERSONAL = ['email', 'email_verified', 'name', 'given_name', 'family_name', 'preferred_username']

/** The keys that check what we sign. */
export const jwks = async ({ keys }: EngineParts): Promise<Response> =>
  jsonResponse(publicJwks(await keys.freshRing()), 200)
