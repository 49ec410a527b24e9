import type { Adapter } from 'oidc-provider'
import type { Core } from '../../core.ts'
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
export async function visitedClient(core: Core, id: string): Promise<OidcClient | null> {
  const { clients } = currentVisit()
  const client = clients.get(id) ?? (await core.oidc.clients.byId(core.database.db, id))
  if (client !== null) clients.set(id, client)
  return client
}
