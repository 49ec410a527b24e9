import { uuidV4 } from '../../kernel/crypto/uuid.ts'
import type { Signer } from '../../kernel/crypto/crypto.ts'
import type { Session } from '../../kernel/sessions/session.ts'

/** Entry of a session: id of each live refresh token -> when it ends, in seconds since the Unix epoch. */
const KEY = 'headless_refresh_tokens'
/** Entry of a session: the refresh token that was used up last, and when: milliseconds since the Unix epoch. */
const USED_KEY = 'headless_refreshed'
const SALT = 'gatepost.headless.jti'

/** Refresh tokens that can be used: the id of each, and when it expires, in seconds since the Unix epoch. */
export type LiveTokens = ReadonlyMap<string, number>

/** The refresh tokens of a session that can be used. */
export function liveTokens(session: Pick<Session, 'get'>): LiveTokens {
  const stored = session.get(KEY)
  const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
  return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'))
}

/** @param nowSeconds What has ended by then is forgotten. */
export function storeLiveTokens(session: Pick<Session, 'set'>, tokens: LiveTokens, nowSeconds: number): void {
  session.set(KEY, Object.fromEntries([...tokens].filter(([, exp]) => exp > nowSeconds)))
}

/** Records the refresh token that was used last. */
export const noteUsed = (session: Pick<Session, 'set'>, jti: string, atMs: number): void =>
  session.set(USED_KEY, { jti, at_ms: atMs })

/** Whether this token was used up last, and not before `ms`: the request that came then was under way already. */
export function wasUsedSince(session: Pick<Session, 'get'>, jti: string, ms: number): boolean {
  const used = session.get(USED_KEY)
  if (typeof used !== 'object' || used === null || !('jti' in used && 'at_ms' in used)) return false
  return used.jti === jti && typeof used.at_ms === 'number' && used.at_ms >= ms
}

/**
 * The id of the token that follows a refresh token. It is found again from that one alone, and by nobody else: so that of
 * two requests with one token the second one can be given what the first one was.
 */
export const successorOf = (signer: Signer, jti: string): string => uuidOf(signer.fingerprint(jti, SALT))

/** The successor that a refresh token has among these, with its end; also one named under an older key. */
export function liveSuccessor(signer: Signer, jti: string, live: LiveTokens): readonly [string, number] | null {
  const ids = signer.fingerprints(jti, SALT).map(uuidOf)
  return [...live].find(([id]) => ids.includes(id)) ?? null
}

const uuidOf = (fingerprint: string): string => uuidV4((length) => Buffer.from(fingerprint, 'hex').subarray(0, length))
