import type { Mfa } from '../second-factors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { cleanSignup } from '../../account/signup/clean.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import { AuthError } from '../../errors.ts'
import { type ApiAnswer, type ApiResource, operation, operationOf } from '../../kernel/operations/operation.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'
import { goOnAfter, loginAt } from './mfa-stage.ts'
import { signupInput } from '../../account/operations/signup.ts'
import { asFormErrors, NEW_CREDENTIAL } from './webauthn-input.ts'

const STAGE = 'mfa_signup_webauthn'

/** Signing up with a passkey in the place of a password. */
export const webauthnSignupResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.passkeySignupEnabled ? [resource(mfa)] : []

const resource = (mfa: Mfa): ApiResource => ({
  path: 'auth/webauthn/signup',
  tag: 'Authentication: passkeys',
  access: 'anon',
  limit: { action: 'signup', per: 'ip', alsoGet: true },
  before: (visit, method) => refuseWithoutStage(mfa, visit, method),
  operations: {
    POST: operationOf({
      summary: 'Begin to sign up by a passkey',
      input: (visit) => signupInput(mfa.account, visit, { password: false }),
      answers: { 200: 'Authenticated', 403: 'Status', 409: 'Status' },
      handle: (visit, input) => begin(mfa, visit, input as FormValues), // text and booleans alone, by `signupInput`
    }),
    GET: operation({
      summary: 'Options to make the passkey',
      answers: { 200: 'CreationOptions', 409: 'Status' },
      async handle(visit) {
        const { user } = await loginAt(mfa, visit, STAGE)
        return { kind: 'data', data: { creation_options: await mfa.webauthn.signupOptions(visit, user) } }
      },
    }),
    PUT: operation({
      summary: 'Complete the sign-up by the passkey',
      input: NEW_CREDENTIAL,
      answers: { 200: 'Authenticated', 409: 'Status' },
      async handle(visit, given) {
        const login = await loginAt(mfa, visit, STAGE)
        return goOnAfter(mfa, visit, login, () =>
          asFormErrors(() => mfa.webauthn.completeSignup(visit, login.user, given)),
        )
      },
    }),
  },
})

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
