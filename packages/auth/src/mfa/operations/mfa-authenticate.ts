import type { Mfa } from '../second-factors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { canReauthenticateBy } from '../../account/reauthentication/with-method.ts'
import { requireSignedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import { BY_CODE, BY_KEY } from '../reauthentication-methods.ts'
import type { User } from '../../kernel/users/user.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { MFA_OPERATIONS } from './table.ts'
import { resumeLoginAfter, requireStageLogin, stageGuard } from './mfa-stage.ts'

const STAGE = 'mfa_authenticate'

/** The second step of a sign-in, and confirming by a second factor that one is still the same. */
export const mfaAuthenticateResources = (mfa: Mfa): readonly ApiResource[] => {
  if (!mfa.kernel.settings.mfa.enabled) return []
  const byKey = mfa.kernel.settings.mfa.supportedTypes.includes('webauthn')
  return [authenticate(mfa), reauthenticate(mfa), ...(byKey ? [authenticateByKey(mfa), reauthenticateByKey(mfa)] : [])]
}

const authenticate = (mfa: Mfa): ApiResource =>
  createResource(
    [
      implement(MFA_OPERATIONS.authenticateByCode, async (visit, { code }) => {
        const login = await requireStageLogin(mfa, visit, STAGE)
        return resumeLoginAfter(mfa, visit, login, () =>
          mfa.authenticateByCode(visit, login.user, code, { reauthentication: false, login }),
        )
      }),
    ],
    { before: stageGuard(mfa, STAGE) },
  )

const reauthenticate = (mfa: Mfa): ApiResource =>
  createResource(
    [
      implement(MFA_OPERATIONS.reauthenticateByCode, async (visit, { code }) => {
        const user = await requireReauthenticatingUser(mfa, visit, BY_CODE, 'code')
        await mfa.authenticateByCode(visit, user, code, { reauthentication: true })
        return { kind: 'authentication' }
      }),
    ],
    { limit: { action: 'reauthenticate', per: 'user' } },
  )

/** Who confirms so; where they cannot nothing is right. @throws {InvalidInput} `incorrect_code` */
async function requireReauthenticatingUser(mfa: Mfa, visit: Visit, method: string, param: string): Promise<User> {
  const user = requireSignedIn(visit)
  if (await canReauthenticateBy(mfa.account, visit, user, method)) return user
  throw new InvalidInput([mfa.account.adapter.validationError('incorrect_code', { param })])
}

const authenticateByKey = (mfa: Mfa): ApiResource =>
  createResource(
    [
      implement(MFA_OPERATIONS.getWebauthnAuthentication, async (visit) => {
        const { user } = await requireStageLogin(mfa, visit, STAGE)
        return { kind: 'data', data: { request_options: await mfa.webauthn.requestOptions(visit, user) } }
      }),
      implement(MFA_OPERATIONS.authenticateByWebauthn, async (visit, { credential }) => {
        const login = await requireStageLogin(mfa, visit, STAGE)
        return resumeLoginAfter(mfa, visit, login, () =>
          mfa.webauthn.authenticate(visit, login.user, credential, { reauthentication: false, login }),
        )
      }),
    ],
    { before: stageGuard(mfa, STAGE) },
  )

const reauthenticateByKey = (mfa: Mfa): ApiResource =>
  createResource(
    [
      implement(MFA_OPERATIONS.getWebauthnReauthentication, async (visit) => {
        const options = await mfa.webauthn.requestOptions(visit, requireSignedIn(visit))
        return { kind: 'data', data: { request_options: options } }
      }),
      implement(MFA_OPERATIONS.reauthenticateByWebauthn, async (visit, { credential }) => {
        const user = await requireReauthenticatingUser(mfa, visit, BY_KEY, 'credential')
        await mfa.webauthn.authenticate(visit, user, credential, { reauthentication: true })
        return { kind: 'authentication' }
      }),
    ],
    { limit: { action: 'reauthenticate', per: 'user' } },
  )
