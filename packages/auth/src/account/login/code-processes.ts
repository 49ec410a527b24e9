import type { Core } from '../../core.ts'
import type { Visit } from '../../kernel/visit.ts'
import { type CodeProcess, type CodeProcesses, codeProcesses } from '../code-process.ts'
import type { Login } from '../login.ts'

/** Key of the stage. */
export const CODE_STAGE = 'login_by_code'

/** What the stage is told when the visitor asked for the code, and keeps. */
export interface CodeStageData {
  /** Not sent because `loginByCodeRequired` says so. */
  readonly initiatedByUser: boolean
}

/** What the stage of this login keeps. */
export function codeStageData(login: Login): CodeStageData {
  const data = login.state.stages[CODE_STAGE]?.data as CodeStageData | undefined // written by `requestLoginCode` alone
  return { initiatedByUser: data?.initiatedByUser === true }
}

/** Login codes that are waited for. */
export const loginCodes = (core: Core): CodeProcesses =>
  codeProcesses({
    key: 'account_login_code',
    timeoutSeconds: core.settings.account.loginByCodeTimeout,
    maxAttempts: core.settings.account.loginByCodeMaxAttempts,
  })

/** The code of this very login; one that was left behind by another does not count. */
export function codeOfLogin(core: Core, request: Visit, login: Login): CodeProcess | null {
  const process = loginCodes(core).current(request)
  return process !== null && process.userId === (login.user?.id ?? null) ? process : null
}
