import type { Mfa } from '../second-factors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Authenticator, WebauthnOptions } from '../mfa.ts'
import { startCeremony, type Question } from './ceremony.ts'
import { parseStoredKey } from './stored-key.ts'

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
