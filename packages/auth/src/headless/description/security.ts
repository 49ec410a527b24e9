import type { AuthSettings } from '../../kernel/settings/settings.ts'
import type { ApiClient, ApiMethod, ApiResource } from '../../kernel/operations/operation.ts'
import type { JsonObject } from './json-schemas.ts'

/** What callers are known by. @see OpenAPI Specification 3.1.1, 4.8.27 */
export function securitySchemes({ headless, sessionCookieName }: AuthSettings): JsonObject {
  return {
    ...(headless.clients.includes('app') && {
      sessionToken: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Session-Token',
        description: 'The newest `meta.session_token`.',
      },
    }),
    ...(hasAccessTokens(headless) && {
      accessToken: {
        type: 'http',
        scheme: headless.jwtAuthorizationHeaderScheme.toLowerCase(),
        bearerFormat: 'JWT',
        description: '`meta.access_token`, once somebody is signed in.',
      },
    }),
    ...(headless.clients.includes('browser') && {
      sessionCookie: { type: 'apiKey', in: 'cookie', name: sessionCookieName },
      csrfToken: {
        type: 'apiKey',
        in: 'header',
        name: 'X-CSRFToken',
        description: 'What the cookie `csrftoken` holds, which every answer to a browser sets.',
      },
    }),
  }
}

const hasAccessTokens = ({ clients, tokenStrategy }: AuthSettings['headless']): boolean =>
  clients.includes('app') && tokenStrategy === 'jwt'

/** The ways to call an operation, any of which will do. */
export function securityOf(
  { headless }: AuthSettings,
  { access }: ApiResource,
  method: ApiMethod,
  clients: readonly ApiClient[],
): readonly JsonObject[] {
  const csrf = method === 'GET' ? {} : { csrfToken: [] }
  const nobody = access === 'auth' ? [] : [clients.includes('app') ? {} : csrf]
  return [
    ...nobody,
    ...(clients.includes('app') ? [{ sessionToken: [] }] : []),
    ...(clients.includes('app') && hasAccessTokens(headless) ? [{ accessToken: [] }] : []),
    ...(clients.includes('browser') ? [{ sessionCookie: [], ...csrf }] : []),
  ]
}
