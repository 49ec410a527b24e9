import type { Mfa } from '../second-factors.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { MFA_OPERATIONS } from './table.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'
import { requireStageLogin, stageGuard } from './mfa-stage.ts'

const STAGE = 'mfa_trust'

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
        const login = await requireStageLogin(mfa, visit, STAGE)
        const outcome = await mfa.account.login.resume(visit, login)
        if (trust) await mfa.trust.trust(visit, login.user)
        return loginAnswer(outcome)
      }),
    ],
    { before: stageGuard(mfa, STAGE) },
  )
