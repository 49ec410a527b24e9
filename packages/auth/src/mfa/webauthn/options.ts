import type { User, UserId } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Authenticator, WebauthnOptions } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { parseStoredKey } from './credential.ts'

/** COSE numbers of the signatures that can be checked: ES256, EdDSA, ES384, ES512, PS256, RS256. @see RFC 9053, RFC 8812 */
export const ALGORITHMS = [-7, -8, -35, -36, -37, -257] as const

/** Asks for a new credential of the user. @param passwordless Resident, with user verification. */
export async function creationOptions(
  mfa: Mfa,
  request: Visit,
  user: User,
  { purpose, passwordless }: { readonly purpose: Question['purpose']; readonly passwordless: boolean },
): Promise<WebauthnOptions> {
  const { id, name } = mfa.adapter.getPublicKeyCredentialRpEntity(request)
  const entity = mfa.adapter.getPublicKeyCredentialUserEntity(request, user)
  const keys = await loadSecurityKeys(mfa, request, user)
  const asked = passwordless ? 'required' : 'discouraged'
  return {
    publicKey: {
      rp: { id, name },
      user: {
        id: Buffer.from(entity.id).toString('base64url'),
        name: entity.name,
        displayName: entity.displayName,
      },
      challenge: startCeremony(request, { purpose, userId: user.id, userVerification: passwordless }),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: keys.map(descriptor),
      authenticatorSelection: {
        residentKey: asked,
        userVerification: asked,
        requireResidentKey: passwordless,
      },
      extensions: { credProps: true },
    },
  }
}

/** Creates request options for the user's keys, or for any passkey, which then requires user verification. */
export async function requestOptions(mfa: Mfa, request: Visit, user: User | null): Promise<WebauthnOptions> {
  const keys = user === null ? [] : await loadSecurityKeys(mfa, request, user)
  const question = { userId: user?.id ?? null, userVerification: user === null }
  return {
    publicKey: {
      challenge: startCeremony(request, { purpose: user === null ? 'login' : 'authenticate', ...question }),
      rpId: mfa.adapter.getPublicKeyCredentialRpEntity(request).id,
      allowCredentials: keys.map(descriptor),
      userVerification: user === null ? 'required' : 'preferred',
    },
  }
}

/** The security keys of a user. */
export const loadSecurityKeys = (mfa: Mfa, request: Visit, user: Pick<User, 'id'>): Promise<readonly Authenticator[]> =>
  mfa.authenticators.ofUser(request.db, user.id, ['webauthn'])

function descriptor(authenticator: Authenticator): Readonly<Record<string, unknown>> {
  const { id, transports } = parseStoredKey(authenticator)
  return { type: 'public-key', id, ...(transports.length > 0 ? { transports } : {}) }
}

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
function startCeremony(request: Visit, question: Question): string {
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
