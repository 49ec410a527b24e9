import { AuthError } from '../../errors.ts'
import type { Exchange } from '../exchange.ts'
import { PROVIDER_ENTRIES } from './provider-entries.ts'
import type { ProviderEntry } from './provider-entry.ts'
import type { ProviderRecord } from './provider-record.ts'
import { PROVIDER_RECORDS } from './provider-records.ts'

export { PROVIDER_ENTRIES }

const ENTRIES: ReadonlyMap<string, ProviderEntry> = new Map(PROVIDER_ENTRIES.map((entry) => [entry.id, entry]))

/** Everything about a provider, loaded at its first use. @throws {AuthError} `not_found` */
export async function providerRecord(id: string): Promise<ProviderRecord> {
  const entry = ENTRIES.get(id)
  const load = Object.hasOwn(PROVIDER_RECORDS, id) ? PROVIDER_RECORDS[id] : undefined
  if (entry === undefined || load === undefined) {
    throw new AuthError('not_found', { message: `No provider is called ${id}.` })
  }
  return { ...entry, ...(await load()) }
}

/** What speaks the protocol of a provider, loaded at its first use. */
export async function exchangeOf(record: ProviderRecord): Promise<Exchange> {
  switch (record.protocol) {
    case 'oauth2':
      return (await import('../oauth2/exchange.ts')).oauth2Exchange(record)
    case 'oauth1':
      return (await import('../oauth1/exchange.ts')).oauth1Exchange(record)
    case 'oidc':
      return (await import('../openid-connect/exchange.ts')).oidcExchange(record)
    case 'custom':
      return (await import('../custom/exchange.ts')).customExchange(record)
    case 'openid2':
      return (await import('../openid2/exchange.ts')).openid2Exchange(record)
    case 'saml':
      return (await import('../saml/exchange.ts')).samlExchange(record)
  }
}
