import type { Core } from '../../core.ts'
import type { OidcAdapterInput } from './adapter.ts'
import type { Oidc } from './oidc.ts'
import { sqlOidcClients } from './oidc-clients.sql.ts'
import { createOidcAdapter } from './hooks.ts'

/** Our OpenID Connect provider: its tokens and engine are not there yet. @param core Asked at each call: it is part of it. */
export function createOidc(core: () => Core, input: OidcAdapterInput | undefined): Oidc {
  const missing = async (): Promise<never> => {
    throw new Error('not there yet')
  }
  return {
    adapter: createOidcAdapter(core, input),
    clients: sqlOidcClients(core),
    tokens: { check: missing, ofUser: missing, revokeOfUser: missing, revokeAllOfUser: missing, sweep: async () => 0 },
    protocolPaths: new Set(),
    engine: missing,
  }
}
