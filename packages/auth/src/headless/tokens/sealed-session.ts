import type { Sealer } from '../../kernel/crypto/crypto.ts'
import { AuthError } from '../../errors.ts'
import type { SessionReference } from '../../kernel/sessions/session.ts'

const CONTEXT = 'gatepost.headless.sid'

/** Identifies the sign-in of a session that a token belongs to. */
export type SignInReference = Required<Extract<SessionReference, { kind: 'id' }>>

/**
 * Returns the `sid` claim: a different sealed text each time. Holds the session id and the sign-in time, so that
 * tokens end when the user signs in again, for example with a new password.
 */
export const sealSession = (sealer: Sealer, { id, authenticatedAtMs }: Omit<SignInReference, 'kind'>): string =>
  sealer.seal(`${authenticatedAtMs} ${id}`, CONTEXT)

/** `null`: it cannot be opened, as its key is no longer there. */
export function openSealedSession(sealer: Sealer, sid: string): SignInReference | null {
  try {
    const [at = '', id = ''] = sealer.open(sid, CONTEXT).split(' ')
    return { kind: 'id', id, authenticatedAtMs: Number(at) }
  } catch (error) {
    if (error instanceof AuthError && error.code === 'secret_unreadable') return null
    throw error
  }
}
