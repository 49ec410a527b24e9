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
import { TRUST_STAGE } from '../authenticate/trust.ts'
import { BY_CODE, BY_KEY } from '../reauthentication-methods.ts'
import type { Mfa } from '../second-factors.ts'
import { MFA_OPERATIONS } from './table.ts'

const STAGE = 'mfa_authenticate'

/** Returns the operations that check a second factor, to continue a sign-in or to reauthenticate. */
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

/**
 * Returns the signed-in user.
 * @throws {InvalidInput} `incorrect_code` if the user can't reauthenticate by this method, so that everything is wrong
 */
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

/** A pending login of a known user. */
type LoginOfUser = Login & { readonly user: User }

/** Guards a resource of a stage: responds 401 with the pending flows if that stage isn't the current one. */
const stageGuard =
  (mfa: Mfa, stage: StageKey) =>
  async (visit: Visit): Promise<ApiAnswer | null> =>
    (await mfa.account.login.at(visit, stage)) === null ? { kind: 'authentication', as: 'anonymous' } : null

/** Returns the login behind `stageGuard`. @throws {AuthError} `flow_wrong_stage` if the stage has just been passed */
export async function requireStageLogin(mfa: Mfa, visit: Visit, stage: StageKey): Promise<LoginOfUser> {
  const login = await mfa.account.login.at(visit, stage)
  if (login === null || login.user === null) throw new AuthError('flow_wrong_stage')
  return { ...login, user: login.user }
}

/** Runs `work`, which passes the stage of a login, then continues it. A retry of the request doesn't repeat `work`. */
export async function resumeLoginAfter(
  mfa: Mfa,
  visit: Visit,
  login: LoginOfUser,
  work: () => Promise<unknown>,
): Promise<ApiAnswer> {
  if (!isPassed(login.state)) await work()
  return loginAnswer(await mfa.account.login.resume(visit, login))
}

/** Returns the operation that ends a sign-in by trusting this browser or not, if a setting adds that step. */
export const trustResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled &&
  (mfa.kernel.settings.mfa.trustEnabled || mfa.kernel.settings.account.loginByCodeTrustEnabled)
    ? [trustResource(mfa)]
    : []

const trustResource = (mfa: Mfa): ApiResource =>
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
