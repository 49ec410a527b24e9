import type Provider from 'oidc-provider'
import type { OidcClient } from '../clients.ts'
import type { KeyRing } from '../signing-keys.ts'
import { type Library, openLibrary } from './bridge.ts'
import type { EngineParts } from './parts.ts'
import { createProvider } from './provider.ts'

/** More issuers than a site has: what a hook makes of hosts must not fill the memory. */
const MOST_ISSUERS = 50

/** The protocol library, and one provider of it per issuer. */
export interface Providers {
  readonly parts: EngineParts
  /** One that knows the scopes of this client, and signs with this ring. */
  of(
    issuer: string,
    client: OidcClient | null,
    ring: KeyRing,
  ): Promise<{ readonly library: Library; readonly provider: Provider }>
}

interface Known {
  readonly provider: Provider
  readonly kids: string
  readonly scopes: ReadonlySet<string>
}

/** Creates providers on demand, per issuer; recreates them for a new key or scope. */
export function createProviders(parts: EngineParts): Providers {
  const known = new Map<string, Known>()
  let library: Promise<Library> | null = null
  return {
    parts,
    async of(issuer, client, ring) {
      library ??= openLibrary()
      const opened = await library
      const found = known.get(issuer)
      const kids = ring.map(({ kid }) => kid).join(' ')
      const needed = client?.scopes ?? []
      if (found?.kids === kids && needed.every((scope) => found.scopes.has(scope))) {
        return { library: opened, provider: found.provider }
      }
      const { scopeDisplay } = parts.oidc.adapter
      const scopes = new Set(['openid', ...Object.keys(scopeDisplay), ...(found?.scopes ?? []), ...needed])
      const provider = createProvider(parts, opened, { issuer, ring, scopes })
      if (known.size >= MOST_ISSUERS) known.clear()
      known.set(issuer, { provider, kids, scopes })
      return { library: opened, provider }
    },
  }
}
