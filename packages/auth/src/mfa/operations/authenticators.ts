import { requireRecent, requireSignedIn } from '../../account/refusals.ts'
import { InvalidInput } from '../../errors.ts'
import { type ApiAnswer, type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Authenticator, RecoveryCodes } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { isPasskey } from '../webauthn/credential.ts'
import { MFA_OPERATIONS } from './table.ts'

/** Returns the operation that lists second factors. */
export const authenticatorsResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled ? [authenticatorsResource(mfa)] : []

const authenticatorsResource = (mfa: Mfa): ApiResource =>
  createResource([
    implement(MFA_OPERATIONS.listAuthenticators, async (visit) => ({
      kind: 'data',
      data: await listAuthenticators(mfa, visit, requireSignedIn(visit)),
    })),
  ])

const MS_PER_SECOND = 1_000

/** Returns the times in seconds since the Unix epoch, with a fraction. */
const toTimesJson = ({ createdAtMs, lastUsedAtMs }: Authenticator): object => ({
  created_at: createdAtMs / MS_PER_SECOND,
  last_used_at: lastUsedAtMs === null ? null : lastUsedAtMs / MS_PER_SECOND,
})

/** Converts an authenticator app to its JSON. */
const totpData = (authenticator: Authenticator): object => ({ type: 'totp', ...toTimesJson(authenticator) })

/** Converts a set of recovery codes to its JSON, without the codes. */
const recoveryCodesData = ({ authenticator, total, unused }: RecoveryCodes): object => ({
  type: 'recovery_codes',
  ...toTimesJson(authenticator),
  total_code_count: total,
  unused_code_count: unused.length,
})

/** Converts a security key to its JSON, without `is_passwordless` if the browser didn't report it at setup. */
export function webauthnData(authenticator: Authenticator): object {
  const { id, data } = authenticator
  const name = data['name']
  const isPasswordless = isPasskey(authenticator)
  return {
    type: 'webauthn',
    ...toTimesJson(authenticator),
    id,
    name: typeof name === 'string' ? name : '',
    ...(isPasswordless === null ? {} : { is_passwordless: isPasswordless }),
  }
}

/** Lists the user's authenticators in the order in which they were added. */
async function listAuthenticators(mfa: Mfa, visit: Visit, user: User): Promise<readonly object[]> {
  const listed: object[] = []
  for (const authenticator of await mfa.authenticators.ofUser(visit.db, user.id)) {
    const data = await toAuthenticatorJson(mfa, visit, user, authenticator)
    if (data !== null) listed.push(data)
  }
  return listed
}

/** Converts an authenticator to its JSON. Returns `null` for recovery codes that another request has just removed. */
async function toAuthenticatorJson(
  mfa: Mfa,
  visit: Visit,
  user: User,
  authenticator: Authenticator,
): Promise<object | null> {
  switch (authenticator.type) {
    case 'totp':
      return totpData(authenticator)
    case 'webauthn':
      return webauthnData(authenticator)
    case 'recovery_codes': {
      const codes = await mfa.recoveryCodes.find(visit, user)
      return codes === null ? null : recoveryCodesData(codes)
    }
  }
}

/** Returns the operations on recovery codes. */
export const recoveryCodesResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.supportedTypes.includes('recovery_codes')
    ? [recoveryCodesResource(mfa)]
    : []

const recoveryCodesResource = (mfa: Mfa): ApiResource =>
  createResource([
    implement(MFA_OPERATIONS.getRecoveryCodes, async (visit) => {
      const user = requireSignedIn(visit)
      if ((await mfa.recoveryCodes.find(visit, user)) === null) return { kind: 'data', status: 404 }
      await requireRecent(mfa.account, visit)
      const codes = await mfa.recoveryCodes.view(visit, user)
      if (codes === null) return { kind: 'data', status: 404 }
      const shown = codes.canView ? { unused_codes: codes.unused } : {}
      return { kind: 'data', data: { ...recoveryCodesData(codes), ...shown } }
    }),
    implement(MFA_OPERATIONS.generateRecoveryCodes, async (visit) => {
      const user = requireSignedIn(visit)
      await requireMainFactor(mfa, visit)
      await requireRecent(mfa.account, visit)
      const codes = await mfa.recoveryCodes.generate(visit, user)
      await mfa.recoveryCodes.view(visit, user) // because the response shows them
      return { kind: 'data', data: { ...recoveryCodesData(codes), unused_codes: codes.unused } }
    }),
  ])

/** Runs a check of `generate` early, before the user has to reauthenticate. */
async function requireMainFactor(mfa: Mfa, visit: Visit): Promise<void> {
  const others = await mfa.authenticators.ofUser(visit.db, requireSignedIn(visit).id, ['totp', 'webauthn'])
  if (others.length === 0) {
    throw new InvalidInput([mfa.account.adapter.validationError('cannot_generate_recovery_codes')])
  }
}

/** Returns the operations on the authenticator app. */
export const totpResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.supportedTypes.includes('totp') ? [totpResource(mfa)] : []

const totpResource = (mfa: Mfa): ApiResource =>
  createResource([
    implement(MFA_OPERATIONS.getTotp, async (visit) => {
      const authenticator = await findUserTotp(mfa, visit)
      return authenticator === null ? respondWithTotpOffer(mfa, visit) : { kind: 'data', data: totpData(authenticator) }
    }),
    implement(MFA_OPERATIONS.activateTotp, async (visit, { code }) => {
      const added = await mfa.totp.activate(visit, requireSignedIn(visit), code, () =>
        requireRecent(mfa.account, visit),
      )
      return {
        kind: 'data',
        data: totpData(added.authenticator),
        meta: { recovery_codes_generated: added.recoveryCodesGenerated },
      }
    }),
    implement(MFA_OPERATIONS.deactivateTotp, async (visit) => {
      const authenticator = await findUserTotp(mfa, visit)
      if (authenticator !== null) {
        await requireRecent(mfa.account, visit)
        await mfa.totp.deactivate(visit, requireSignedIn(visit), authenticator)
      }
      return { kind: 'data' }
    }),
  ])

async function findUserTotp(mfa: Mfa, visit: Visit): Promise<Authenticator | null> {
  const [authenticator] = await mfa.authenticators.ofUser(visit.db, requireSignedIn(visit).id, ['totp'])
  return authenticator ?? null
}

/** Responds 404 with a new secret, or 409 if the user can't add an app. */
async function respondWithTotpOffer(mfa: Mfa, visit: Visit): Promise<ApiAnswer> {
  try {
    const { secret, url } = await mfa.totp.offer(visit, requireSignedIn(visit))
    return { kind: 'data', status: 404, meta: { secret, totp_url: url } }
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'errors', status: 409, errors: error.errors }
    throw error
  }
}
