import type Provider from 'oidc-provider'
import type { OidcClient } from '../clients.ts'
import type { KeyRing } from '../signing-keys.ts'
import { type Library, openLibrary } from './bridge.ts'
import type { EngineParts } from './parts.ts'
import { createProvider } from './provider.ts'

/** Limits the cache, in case a `getIssuer` hook returns many different issuers. */
const MAX_ISSUERS = 50

/** The protocol library's providers, one per issuer. */
export interface Providers {
  readonly parts: EngineParts
  /** Returns a provider that knows the client's scopes and signs with these keys. */
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

/** Creates one provider per issuer on demand. Replaces it if a key or scope is new. */
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
      if (known.size >= MAX_ISSUERS) known.clear()
      known.set(issuer, { provider, kids, scopes })
      return { library: opened, provider }
    },
  }
}
