import { AsyncLocalStorage } from 'node:async_hooks'
import type { PageRequest } from '../../kernel/http/page-request.ts'
import type { User } from '../../kernel/users/user.ts'
import type { OidcClient } from '../clients.ts'
import type { KeyRing } from '../signing-keys.ts'
import type { SignedIn } from './session.ts'

/** What the hooks of the protocol library need to know of the call that it is answering. */
export interface Visit {
  /** Of a browser; `null` for calls of clients. */
  readonly request: PageRequest | null
  /** The signed-in user, as this client sees them. */
  readonly who: SignedIn | null
  /** What was proved of them. */
  readonly proof: string | null
  readonly ring: KeyRing
  /** Scopes of the request as they came: the library forgets those that it does not know. */
  readonly scope: string | null
  /** The client whose secret came, and was right; the library reads the call once more, so it must find the same. */
  readonly verified: { readonly id: string; readonly secret: string } | null
  /** Users that were looked up, by client and sub. */
  readonly users: Map<string, User>
  /** Clients that were looked up. */
  readonly clients: Map<string, OidcClient>
  /** Access tokens in the format jwt, by their `jti`. */
  readonly signed: Map<string, string>
  /** What a person is shown in place of an answer to the client. */
  refusal: { readonly code: string; readonly status: number } | null
}

/** Returns the key of a client's `sub`, which another client may have for another user. */
export const userKey = (clientId: string, sub: string): string => `${clientId} ${sub}`

const visits = new AsyncLocalStorage<Visit>()

/** Runs the protocol library for one call. */
export const runInVisit = <R>(visit: Visit, work: () => Promise<R>): Promise<R> => visits.run(visit, work)

/** The call under way. @throws {Error} outside of one: a fault of ours */
export function currentVisit(): Visit {
  const visit = visits.getStore()
  if (visit === undefined) throw new Error('the protocol library is used outside of a call')
  return visit
}
