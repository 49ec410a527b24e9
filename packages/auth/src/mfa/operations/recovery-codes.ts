import type { Mfa } from '../second-factors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { requireSignedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { MFA_OPERATIONS } from './table.ts'
import { requireRecent } from '../../account/operations/require-recent.ts'
import { recoveryCodesData } from './authenticators.ts'

/** One's recovery codes. */
export const recoveryCodesResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.supportedTypes.includes('recovery_codes')
    ? [resource(mfa)]
    : []

const resource = (mfa: Mfa): ApiResource =>
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
      await refuseWithoutOtherFactor(mfa, visit)
      await requireRecent(mfa.account, visit)
      const codes = await mfa.recoveryCodes.generate(visit, user)
      await mfa.recoveryCodes.view(visit, user) // the answer shows them
      return { kind: 'data', data: { ...recoveryCodesData(codes), unused_codes: codes.unused } }
    }),
  ])

/** Repeats a check of the flow before the visitor has to reauthenticate. */
async function refuseWithoutOtherFactor(mfa: Mfa, visit: Visit): Promise<void> {
  const others = await mfa.authenticators.ofUser(visit.db, requireSignedIn(visit).id, ['totp', 'webauthn'])
  if (others.length === 0) {
    throw new InvalidInput([mfa.account.adapter.validationError('cannot_generate_recovery_codes')])
  }
}
