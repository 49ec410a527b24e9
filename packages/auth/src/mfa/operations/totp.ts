import type { Mfa } from '../second-factors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { requireSignedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import type { Authenticator } from '../mfa.ts'
import { type ApiAnswer, type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { MFA_OPERATIONS } from './table.ts'
import { requireRecent } from '../../account/operations/require-recent.ts'
import { totpData } from './authenticators.ts'

/** One's authenticator app. */
export const totpResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.supportedTypes.includes('totp') ? [resource(mfa)] : []

const resource = (mfa: Mfa): ApiResource =>
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

/** Not there: 404, with a new secret. */
async function respondWithTotpOffer(mfa: Mfa, visit: Visit): Promise<ApiAnswer> {
  try {
    const { secret, url } = await mfa.totp.offer(visit, requireSignedIn(visit))
    return { kind: 'data', status: 404, meta: { secret, totp_url: url } }
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'errors', status: 409, errors: error.errors }
    throw error
  }
}
