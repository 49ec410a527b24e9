import type { Mfa } from '../second-factors.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Login, LoginStage } from '../../kernel/login.ts'
import { CODE_STAGE, codeStageData } from '../../account/login/code-processes.ts'
import type { Visit } from '../../kernel/visit.ts'
import { MFA_STAGE } from '../authenticate/stage.ts'

/** Key of the stage, and reverse name of its page. */
const TRUST_STAGE = 'mfa_trust'

/** Asks whether the browser is to be trusted that has just given a second factor, or a code that was demanded. */
export const trustStage = (mfa: Mfa): LoginStage => ({
  key: TRUST_STAGE,
  page: TRUST_STAGE,
  resumable: () => true,
  enter: (request, login) =>
    Promise.resolve(isOffered(mfa.kernel, request, login) ? { kind: 'wait' } : { kind: 'pass' }),
})

/** An app has no cookies to be known by. */
function isOffered({ settings: { mfa, account } }: Pick<Kernel, 'settings'>, request: Visit, login: Login): boolean {
  if (!mfa.enabled || login.user === null || request.client === 'app') return false
  const wasShown = (stage: string): boolean => login.state.stages[stage]?.shown === true
  const demanded = wasShown(CODE_STAGE) && !codeStageData(login).initiatedByUser
  return (mfa.trustEnabled && wasShown(MFA_STAGE)) || (account.loginByCodeTrustEnabled && demanded)
}
