import { renderTable, toCode } from './table.ts'
import { withAuth } from './with-auth.ts'

/** The purpose of each endpoint in the discovery document, and the authentication it requires. */
const ENDPOINTS: Readonly<Record<string, readonly [purpose: string, authentication: string]>> = {
  authorization_endpoint: ['Where clients send the browser to sign in', 'Session'],
  token_endpoint: ['Issues tokens for codes, refresh tokens, devices, and clients', 'Client'],
  userinfo_endpoint: ["Returns a user's claims; GET or POST", 'Access token with `openid`'],
  jwks_uri: ['The public keys', ''],
  revocation_endpoint: ['Revokes a token', 'Client'],
  introspection_endpoint: ['Checks a token and returns its details', 'Client'],
  device_authorization_endpoint: ['Issues codes for a device', 'Public client'],
  end_session_endpoint: ['Sign-out started by a client', ''],
  registration_endpoint: ['Registers a client, with `IDP_OIDC_DYNAMIC_CLIENT_REGISTRATION_ENABLED`', ''],
}

/** Renders every endpoint by its name in the discovery document. @throws {Error} for an endpoint without a description */
export const renderEndpoints = (): Promise<string> =>
  withAuth(async (auth) => {
    const path = '/.well-known/openid-configuration'
    const response = await auth.fetch(new Request(`http://localhost${path}`))
    const document = (await response.json()) as Readonly<Record<string, unknown>> // our own document
    const endpoints = Object.entries(document).filter(([name]) => /_(endpoint|uri)$/.test(name))
    const rows = endpoints.map(([name, url]) => {
      const description = ENDPOINTS[name]
      if (description === undefined) throw new Error(`${name} has no description. Add one to tools/docs/oidc-table.ts.`)
      return [toCode(new URL(String(url)).pathname), toCode(name), ...description]
    })
    return renderTable(
      ['Path', 'Name in the discovery document', 'Purpose', 'Authentication'],
      [[toCode(path), '', 'The discovery document, also at `/.well-known/oauth-authorization-server`', ''], ...rows],
    )
  })
