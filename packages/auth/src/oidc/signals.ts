import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { OidcClient } from './clients.ts'

type With<T> = T & { readonly request: Visit | null }

/** OpenID provider signals and their payloads, without the sender (6.1 of the reference). */
export interface OidcSignals {
  /** Somebody let a client act for them: on the consent page, or by the code of a device. */
  client_allowed: With<{ readonly user: User; readonly client: OidcClient; readonly scopes: readonly string[] }>
  /** They have ended it on the page of applications. */
  client_revoked: With<{ readonly user: User; readonly client: OidcClient }>
}
