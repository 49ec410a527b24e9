import { AuthError } from '../errors.ts'
import type { Exchange } from './exchange.ts'
import type { ProviderEntry, ProviderRecord } from './provider-record.ts'

/** Every provider, by id: not there yet. */
export const PROVIDER_ENTRIES: readonly ProviderEntry[] = []

/** Everything about a provider, loaded at its first use. @throws {AuthError} `not_found` */
export async function providerRecord(id: string): Promise<ProviderRecord> {
  throw new AuthError('not_found', { message: `No provider is called ${id}.` })
}

/** What speaks the protocol of a provider, loaded at its first use. */
export async function exchangeOf(record: ProviderRecord): Promise<Exchange> {
  throw new AuthError('not_found', { message: `Nothing speaks ${record.protocol}.` })
}
