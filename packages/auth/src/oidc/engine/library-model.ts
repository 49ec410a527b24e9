import type { Oidc } from '../oidc.ts'
import type { Adapter } from 'oidc-provider'
import type { OidcClient } from '../clients.ts'
import { currentVisit } from './visit.ts'

/** What one model of the library needs of a store; the rest it never asks for. */
export type Storage = Pick<Adapter, 'upsert' | 'find'> & Partial<Adapter>

/** Errors of the library, which is loaded late. */
export interface Refusals {
  /** RFC 6749: a code or a token that cannot be used (any more). */
  invalidGrant(description: string): Error
}

/** Looked up once in a call. */
export async function visitedClient(oidc: Oidc, id: string): Promise<OidcClient | null> {
  const { clients } = currentVisit()
  const client = clients.get(id) ?? (await oidc.clients.byId(oidc.kernel.database.db, id))
  if (client !== null) clients.set(id, client)
  return client
}
