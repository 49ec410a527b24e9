import type { Sealer } from '../../kernel/crypto/crypto.ts'
import { AuthError } from '../../errors.ts'
import type { SessionReference } from '../../kernel/sessions/session.ts'

const CONTEXT = 'gatepost.headless.sid'

/** The one sign-in of a session that a token belongs to. */
export type SignInReference = Required<Extract<SessionReference, { kind: 'id' }>>

/**
 * The claim `sid`: another text each time, which only we can read. It holds the id of the session, which opens nothing
 * by itself, and when the user signed in: tokens end when the session is signed in anew, as with another password.
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
