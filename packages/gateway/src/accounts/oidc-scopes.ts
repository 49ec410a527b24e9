import { MCP_PATH } from '../mcp/mcp-path.ts'
import type { Core } from '@gatepost/auth'
import type { OidcAdapterInput } from '@gatepost/auth/extend'

/** The command line, as a client of our own OpenID Connect provider. */
export const CLI_CLIENT = 'gatepost-cli'

/** What people read on the page where they are asked. */
const SCOPE_DISPLAY = {
  'channels:read': 'See your channels, and who writes to them',
  'channels:write': 'Set up, enable and disable your channels',
  'channels:send': 'Send messages on your channels',
  account: 'See your account, and make access tokens',
  admin: 'Act with your rights of staff, on all accounts',
} as const

/** What a token can be asked for alone (RFC 8707): the tools of agents. @param mount Path that the service is shown at. */
export const resourcesAt = (mount: string): readonly string[] => [`${mount}${MCP_PATH}`]

/** What programs may ask for that nobody of staff knows: nothing that changes the service or an account. */
export const REGISTRATION_SCOPES: readonly string[] = ['openid', 'channels:read', 'channels:send']

/** Clients may be allowed what the API knows. */
export const oidcHooks: OidcAdapterInput = (defaults) => ({
  scopeDisplay: { ...defaults.scopeDisplay, ...SCOPE_DISPLAY },
})

/** Makes the client that `gatepost login` signs in with, unless it is there: staff may have changed its rights. */
export async function ensureCliClient(core: Core): Promise<void> {
  const { clients } = core.oidc
  const { db } = core.database
  const isThere = async (): Promise<boolean> => (await clients.byId(db, CLI_CLIENT)) !== null
  if (!core.settings.idpOidc.enabled || (await isThere())) return
  try {
    await clients.create(db, {
      id: CLI_CLIENT,
      name: 'Gatepost command line',
      type: 'public',
      scopes: ['openid', ...Object.keys(SCOPE_DISPLAY)],
      defaultScopes: ['openid', 'channels:read', 'channels:write', 'channels:send', 'account'],
      grantTypes: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      responseTypes: [],
    })
  } catch (error) {
    // Another node that starts at the same time was faster.
    if (!(await isThere())) throw error
  }
}
