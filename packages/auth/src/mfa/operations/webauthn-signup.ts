import type { Mfa } from '../second-factors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { cleanSignup } from '../../account/signup/clean.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import { AuthError } from '../../errors.ts'
import { type ApiAnswer, type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { MFA_OPERATIONS } from './table.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'
import { resumeLoginAfter, requireStageLogin } from './mfa-stage.ts'
import { signupInput } from '../../account/operations/signup.ts'
import { asFormErrors } from './webauthn.ts'

const STAGE = 'mfa_signup_webauthn'

/** Signing up with a passkey in the place of a password. */
export const webauthnSignupResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.passkeySignupEnabled ? [resource(mfa)] : []

const resource = (mfa: Mfa): ApiResource =>
  createResource(
    [
      implement(
        MFA_OPERATIONS.signupByPasskey,
        (visit, input) => begin(mfa, visit, input as FormValues), // text and booleans alone, by `signupInput`
        { fields: (visit) => signupInput(mfa.account, visit, { password: false }) },
      ),
      implement(MFA_OPERATIONS.getPasskeySignup, async (visit) => {
        const { user } = await requireStageLogin(mfa, visit, STAGE)
        return { kind: 'data', data: { creation_options: await mfa.webauthn.signupOptions(visit, user) } }
      }),
      implement(MFA_OPERATIONS.completePasskeySignup, async (visit, given) => {
        const login = await requireStageLogin(mfa, visit, STAGE)
        return resumeLoginAfter(mfa, visit, login, () =>
          asFormErrors(() => mfa.webauthn.completeSignup(visit, login.user, given)),
        )
      }),
    ],
    {
      limit: { action: 'signup', per: 'ip', alsoGet: true },
      before: (visit, method) => refuseWithoutStage(mfa, visit, method),
    },
  )

/** Who is signed in has no sign-up under way. @throws {AuthError} `flow_wrong_stage` */
async function refuseWithoutStage(mfa: Mfa, visit: Visit, method: string): Promise<null> {
  if (method !== 'GET' && method !== 'PUT') return null
  const isPending = visit.user === null && (await mfa.account.login.at(visit, STAGE)) !== null
  if (!isPending) throw new AuthError('flow_wrong_stage')
  return null
}

/** What was given is checked before what stands in the way of every sign-up. */
async function begin(mfa: Mfa, visit: Visit, values: FormValues): Promise<ApiAnswer> {
  const isOpen = visit.user === null && (await mfa.account.adapter.isOpenForSignup(visit))
  if (isOpen) return loginAnswer(await mfa.webauthn.beginSignup(visit, values))
  await cleanSignup(mfa.account, visit, values, { withoutPassword: true })
  throw new AuthError(visit.user === null ? 'permission_denied' : 'flow_wrong_stage')
}
