import type { User, UserId } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Authenticator, WebauthnOptions } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { parseStoredKey } from './credential.ts'

/**
 * COSE identifiers of the supported signature algorithms: ES256, EdDSA, ES384, ES512, PS256, RS256.
 * @see RFC 9053, RFC 8230 (PS256), RFC 8812 (RS256)
 */
export const ALGORITHMS = [-7, -8, -35, -36, -37, -257] as const

/** Creates options for a new credential. @param options.passwordless Makes it discoverable, with user verification. */
export async function creationOptions(
  mfa: Mfa,
  request: Visit,
  user: User,
  { purpose, passwordless }: { readonly purpose: Ceremony['purpose']; readonly passwordless: boolean },
): Promise<WebauthnOptions> {
  const { id, name } = mfa.adapter.getPublicKeyCredentialRpEntity(request)
  const entity = mfa.adapter.getPublicKeyCredentialUserEntity(request, user)
  const keys = await loadSecurityKeys(mfa, request, user)
  const requirement = passwordless ? 'required' : 'discouraged'
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
        residentKey: requirement,
        userVerification: requirement,
        requireResidentKey: passwordless,
      },
      extensions: { credProps: true },
    },
  }
}

/**
 * Creates request options for the user's keys, or for any passkey.
 * @param userVerification Whether a key that hasn't verified its user is rejected. All are asked to, if they can.
 */
export async function requestOptions(
  mfa: Mfa,
  request: Visit,
  user: User | null,
  userVerification: boolean,
): Promise<WebauthnOptions> {
  const keys = user === null ? [] : await loadSecurityKeys(mfa, request, user)
  const ceremony = { userId: user?.id ?? null, userVerification }
  return {
    publicKey: {
      challenge: startCeremony(request, { purpose: user === null ? 'login' : 'authenticate', ...ceremony }),
      rpId: mfa.adapter.getPublicKeyCredentialRpEntity(request).id,
      allowCredentials: keys.map(descriptor),
      userVerification: 'preferred',
    },
  }
}

/** Returns the security keys and passkeys of a user. */
export const loadSecurityKeys = (mfa: Mfa, request: Visit, user: Pick<User, 'id'>): Promise<readonly Authenticator[]> =>
  mfa.authenticators.ofUser(request.db, user.id, ['webauthn'])

function descriptor(authenticator: Authenticator): Readonly<Record<string, unknown>> {
  return { type: 'public-key', id: parseStoredKey(authenticator).id }
}

/** Session entry of the challenge that was sent last. */
const KEY = 'mfa.webauthn.state'
const LIFE_MS = 10 * 60_000

/** A WebAuthn ceremony in progress. A response for one is invalid for another. */
export interface Ceremony {
  readonly purpose: 'add' | 'signup' | 'authenticate' | 'login'
  /** The user who was challenged; `null` for any passkey. */
  readonly userId: UserId | null
  /** Whether the authenticator must verify the user. */
  readonly userVerification: boolean
}

interface StoredCeremony {
  readonly challenge: string
  readonly purpose: Ceremony['purpose']
  readonly user: UserId | null
  readonly user_verification: boolean
  readonly at: number
}

/** Stores a new challenge in place of the previous one. @returns 32 bytes in base64url */
function startCeremony(request: Visit, ceremony: Ceremony): string {
  const challenge = request.kernel.random(32).toString('base64url')
  const stored: StoredCeremony = {
    challenge,
    purpose: ceremony.purpose,
    user: ceremony.userId,
    user_verification: ceremony.userVerification,
    at: request.nowMs,
  }
  request.session.set(KEY, stored)
  return challenge
}

/** What a response must match. */
export interface IssuedChallenge {
  readonly challenge: string
  readonly userVerification: boolean
}

/**
 * Removes the challenge of a ceremony from the session. The caller commits the removal, together with the effects of a
 * correct response or alone after a wrong one, so that only one response to a challenge counts.
 * @returns `null` if there is no such challenge, or it's older than ten minutes
 */
export function takeChallenge(
  request: Visit,
  purpose: Ceremony['purpose'],
  userId: UserId | null,
): IssuedChallenge | null {
  const value = request.session.get(KEY)
  if (value === undefined || value === null) return null
  const stored = value as StoredCeremony // written only by `startCeremony`; sessions are sealed
  if (stored.purpose !== purpose || stored.user !== userId) return null
  request.session.delete(KEY)
  if (request.nowMs - stored.at > LIFE_MS) return null
  return { challenge: stored.challenge, userVerification: stored.user_verification }
}
