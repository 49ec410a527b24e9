import type { Visit } from '../../kernel/visit.ts'
import type { UserId } from '../../kernel/users/user.ts'

/** Entry of the session that holds the challenge that was sent last. */
const KEY = 'mfa.webauthn.state'
const LIFE_MS = 10 * 60_000

/** A WebAuthn challenge of the session. A response to one challenge is invalid for another. */
export interface Question {
  readonly purpose: 'add' | 'signup' | 'authenticate' | 'login'
  /** The user who was challenged; `null` for any passkey. */
  readonly userId: UserId | null
  /** Whether the authenticator must have verified who uses it. */
  readonly userVerification: boolean
}

interface StoredQuestion {
  readonly challenge: string
  readonly purpose: Question['purpose']
  readonly user: UserId | null
  readonly user_verification: boolean
  readonly at: number
}

/** A new challenge, in the place of the one before. @returns 32 bytes in base64url */
export function startCeremony(request: Visit, question: Question): string {
  const challenge = request.kernel.random(32).toString('base64url')
  const stored: StoredQuestion = {
    challenge,
    purpose: question.purpose,
    user: question.userId,
    user_verification: question.userVerification,
    at: request.nowMs,
  }
  request.session.set(KEY, stored)
  return challenge
}

/** What an answer must fit. */
export interface Asked {
  readonly challenge: string
  readonly userVerification: boolean
}

/**
 * Takes the challenge of a question out of the session. The caller commits that with what the answer brings about, or
 * when it is wrong: of two requests that answer the question one gets so far.
 * @returns `null`: nothing like that was asked, or more than ten minutes ago
 */
export function takeChallenge(request: Visit, purpose: Question['purpose'], userId: UserId | null): Asked | null {
  const value = request.session.get(KEY)
  if (value === undefined || value === null) return null
  const stored = value as StoredQuestion // written by `ask` alone; sessions are sealed
  if (stored.purpose !== purpose || stored.user !== userId) return null
  request.session.delete(KEY)
  if (request.nowMs - stored.at > LIFE_MS) return null
  return { challenge: stored.challenge, userVerification: stored.user_verification }
}
