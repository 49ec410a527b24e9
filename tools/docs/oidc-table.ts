import { code, table } from './table.ts'
import { withAuth } from './with-auth.ts'

/** What each address of the discovery document is for, and who is asked to say who they are. */
const ENDPOINTS: Readonly<Record<string, readonly [what: string, proof: string]>> = {
  authorization_endpoint: ['where a browser is sent to sign in', 'the session'],
  token_endpoint: ['tokens for codes, refresh tokens, devices, clients', 'the client'],
  userinfo_endpoint: ['the claims of a user; GET or POST', 'an access token with `openid`'],
  jwks_uri: ['the public keys', ''],
  revocation_endpoint: ['ends a token', 'the client'],
  introspection_endpoint: ['what a token is worth', 'the client'],
  device_authorization_endpoint: ['codes for a device', 'a public client'],
  end_session_endpoint: ['sign-out that a client begins', ''],
  registration_endpoint: ['registers a client, with `IDP_OIDC_DYNAMIC_CLIENT_REGISTRATION_ENABLED`', ''],
}

/** Every endpoint, as the discovery document names them. */
export const endpointTable = (): Promise<string> =>
  withAuth(async (auth) => {
    const path = '/.well-known/openid-configuration'
    const response = await auth.fetch(new Request(`http://localhost${path}`))
    const document = (await response.json()) as Readonly<Record<string, unknown>> // a document of ours
    const addresses = Object.entries(document).filter(([name]) => /_(endpoint|uri)$/.test(name))
    const rows = addresses.map(([name, address]) => {
      const words = ENDPOINTS[name]
      if (words === undefined)
        throw new Error(`The manual does not know ${name}: describe it in tools/docs/oidc-table.ts`)
      return [code(new URL(String(address)).pathname), code(name), ...words]
    })
    return table(
      ['Path', 'In the discovery document', 'What it is', 'Proof'],
      [[code(path), '', 'the discovery document, also at `/.well-known/oauth-authorization-server`', ''], ...rows],
    )
  })
