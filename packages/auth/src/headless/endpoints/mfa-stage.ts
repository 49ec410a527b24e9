import type { Login, StageKey } from '../../account/login.ts'
import { isPassed } from '../../account/login/stage-machine.ts'
import { AuthError } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import type { ApiAnswer, ApiCall } from '../endpoint.ts'
import { loginAnswer } from '../login-answer.ts'

/** A login that waits for a known user's next step. */
export type LoginOfUser = Login & { readonly user: User }

/** Guard of a resource that belongs to a stage: where that is not the current one, 401 says what there is to do. */
export const stageGuard =
  (stage: StageKey) =>
  async ({ core, request }: ApiCall): Promise<ApiAnswer | null> =>
    (await core.login.at(request, stage)) === null ? { kind: 'authentication', as: 'anonymous' } : null

/** The login behind `stageGuard`. @throws {AuthError} `flow_wrong_stage`: it has been passed just now */
export async function loginAt({ core, request }: ApiCall, stage: StageKey): Promise<LoginOfUser> {
  const login = await core.login.at(request, stage)
  if (login === null || login.user === null) throw new AuthError('flow_wrong_stage')
  return { ...login, user: login.user }
}

/** Goes on with a login after `work`, which does its stage: once, also when the request is run again after that. */
export async function goOnAfter(
  { core, request }: ApiCall,
  login: LoginOfUser,
  work: () => Promise<unknown>,
): Promise<ApiAnswer> {
  if (!isPassed(login.state)) await work()
  return loginAnswer(await core.login.resume(request, login))
}
