import { isPassed } from '../../account/login/stage-machine.ts'
import { canReauthenticateBy } from '../../account/reauthentication/reauthentication.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { Login, StageKey } from '../../kernel/login.ts'
import {
  type ApiAnswer,
  type ApiResource,
  createResource,
  implement,
  loginAnswer,
} from '../../kernel/operations/operation.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { BY_CODE, BY_KEY } from '../reauthentication-methods.ts'
import type { Mfa } from '../second-factors.ts'
import { MFA_OPERATIONS } from './table.ts'

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

/** A login that waits for a known user's next step. */
type LoginOfUser = Login & { readonly user: User }

/** Guards a resource of a stage: responds 401 with the pending flows if that stage isn't the current one. */
const stageGuard =
  (mfa: Mfa, stage: StageKey) =>
  async (visit: Visit): Promise<ApiAnswer | null> =>
    (await mfa.account.login.at(visit, stage)) === null ? { kind: 'authentication', as: 'anonymous' } : null

/** The login behind `stageGuard`. @throws {AuthError} `flow_wrong_stage`: it has been passed just now */
export async function requireStageLogin(mfa: Mfa, visit: Visit, stage: StageKey): Promise<LoginOfUser> {
  const login = await mfa.account.login.at(visit, stage)
  if (login === null || login.user === null) throw new AuthError('flow_wrong_stage')
  return { ...login, user: login.user }
}

/** Goes on with a login after `work`, which does its stage: once, also when the request is run again after that. */
export async function resumeLoginAfter(
  mfa: Mfa,
  visit: Visit,
  login: LoginOfUser,
  work: () => Promise<unknown>,
): Promise<ApiAnswer> {
  if (!isPassed(login.state)) await work()
  return loginAnswer(await mfa.account.login.resume(visit, login))
}

const TRUST_STAGE = 'mfa_trust'

/** The last step of a sign-in: whether to trust this browser. Exists with every setting that makes a login wait for it. */
export const trustResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled &&
  (mfa.kernel.settings.mfa.trustEnabled || mfa.kernel.settings.account.loginByCodeTrustEnabled)
    ? [resource(mfa)]
    : []

const resource = (mfa: Mfa): ApiResource =>
  createResource(
    [
      implement(MFA_OPERATIONS.trustBrowser, async (visit, { trust = false }) => {
        const login = await requireStageLogin(mfa, visit, TRUST_STAGE)
        const outcome = await mfa.account.login.resume(visit, login)
        if (trust) await mfa.trust.trust(visit, login.user)
        return loginAnswer(outcome)
      }),
    ],
    { before: stageGuard(mfa, TRUST_STAGE) },
  )
