import { requireSignedIn } from '../../account/signed-in.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Authenticator, RecoveryCodes } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { isPasskey } from '../webauthn/stored-key.ts'
import { MFA_OPERATIONS } from './table.ts'

/** Returns the operation that lists second factors. */
export const authenticatorsResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled ? [resource(mfa)] : []

const resource = (mfa: Mfa): ApiResource =>
  createResource([
    implement(MFA_OPERATIONS.listAuthenticators, async (visit) => ({
      kind: 'data',
      data: await authenticatorsData(mfa, visit, requireSignedIn(visit)),
    })),
  ])

const MS_PER_SECOND = 1_000

/** Times as the API has them: seconds since the Unix epoch, with fraction. */
const times = ({ createdAtMs, lastUsedAtMs }: Authenticator): object => ({
  created_at: createdAtMs / MS_PER_SECOND,
  last_used_at: lastUsedAtMs === null ? null : lastUsedAtMs / MS_PER_SECOND,
})

/** An authenticator app. */
export const totpData = (authenticator: Authenticator): object => ({ type: 'totp', ...times(authenticator) })

/** A set of recovery codes, without the codes. */
export const recoveryCodesData = ({ authenticator, total, unused }: RecoveryCodes): object => ({
  type: 'recovery_codes',
  ...times(authenticator),
  total_code_count: total,
  unused_code_count: unused.length,
})

/** A security key. Whether it is a passkey is left out where the browser did not say so when the key was added. */
export function webauthnData(authenticator: Authenticator): object {
  const { id, data } = authenticator
  const name = data['name']
  const isPasswordless = isPasskey(authenticator)
  return {
    type: 'webauthn',
    ...times(authenticator),
    id,
    name: typeof name === 'string' ? name : '',
    ...(isPasswordless === null ? {} : { is_passwordless: isPasswordless }),
  }
}

/** Everything that a user has, in the order in which it was added. */
async function authenticatorsData(mfa: Mfa, request: Visit, user: User): Promise<readonly object[]> {
  const listed: object[] = []
  for (const authenticator of await mfa.authenticators.ofUser(request.db, user.id)) {
    const data = await dataOf(mfa, request, user, authenticator)
    if (data !== null) listed.push(data)
  }
  return listed
}

/** `null`: codes that were removed just now. */
async function dataOf(mfa: Mfa, request: Visit, user: User, authenticator: Authenticator): Promise<object | null> {
  switch (authenticator.type) {
    case 'totp':
      return totpData(authenticator)
    case 'webauthn':
      return webauthnData(authenticator)
    case 'recovery_codes': {
      const codes = await mfa.recoveryCodes.find(request, user)
      return codes === null ? null : recoveryCodesData(codes)
    }
  }
}
