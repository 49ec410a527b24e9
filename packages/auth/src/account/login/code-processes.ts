import type { Kernel } from '../../kernel/kernel.ts'
import type { Visit } from '../../kernel/visit.ts'
import { type CodeProcess, type CodeProcesses, codeProcesses } from '../code-process.ts'
import type { Login } from '../../kernel/login.ts'

/** Key of the stage. */
export const CODE_STAGE = 'login_by_code'

/** Data for the stage when the visitor requested the code. */
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
export const loginCodes = (kernel: Kernel): CodeProcesses =>
  codeProcesses({
    key: 'account_login_code',
    timeoutSeconds: kernel.settings.account.loginByCodeTimeout,
    maxAttempts: kernel.settings.account.loginByCodeMaxAttempts,
  })

/** The code of this very login; one that was left behind by another does not count. */
export function findLoginCode(request: Visit, login: Login): CodeProcess | null {
  const process = loginCodes(request.kernel).current(request)
  return process !== null && process.userId === (login.user?.id ?? null) ? process : null
}
