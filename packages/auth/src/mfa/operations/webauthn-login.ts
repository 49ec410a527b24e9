import type { Mfa } from '../second-factors.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { MFA_OPERATIONS } from './table.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'

/** Returns the operations that sign in with a passkey alone. */
export const webauthnLoginResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.passkeyLoginEnabled ? [resource(mfa)] : []

const resource = (mfa: Mfa): ApiResource =>
  createResource([
    implement(MFA_OPERATIONS.getWebauthnLogin, async (visit) => ({
      kind: 'data',
      data: { request_options: await mfa.webauthn.requestOptions(visit, null) },
    })),
    implement(MFA_OPERATIONS.loginByWebauthn, async (visit, { credential }) =>
      loginAnswer(await mfa.webauthn.login(visit, credential)),
    ),
  ])
