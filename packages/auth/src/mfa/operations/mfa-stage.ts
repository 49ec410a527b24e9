import type { Mfa } from '../second-factors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Login, StageKey } from '../../kernel/login.ts'
import { isPassed } from '../../account/login/stage-machine.ts'
import { AuthError } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import type { ApiAnswer } from '../../kernel/operations/operation.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'

/** A login that waits for a known user's next step. */
export type LoginOfUser = Login & { readonly user: User }

/** Guards a resource of a stage: responds 401 with the pending flows if that stage isn't the current one. */
export const stageGuard =
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
