import type { Core } from '../../core.ts'
import type { OidcClients } from './clients.ts'

/** Port: `OidcClients`: not there yet. */
export function sqlOidcClients(_core: () => Core): OidcClients {
  const missing = async (): Promise<never> => {
    throw new Error('not there yet')
  }
  return {
    list: missing,
    byId: missing,
    create: missing,
    update: missing,
    renewSecret: missing,
    remove: missing,
    isSecret: missing,
  }
}
