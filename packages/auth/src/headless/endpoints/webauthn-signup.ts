import { cleanSignup } from '../../account/signup/clean.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import { AuthError } from '../../errors.ts'
import { type ApiAnswer, type ApiCall, type ApiModule, type ApiResource, operation, operationOf } from '../endpoint.ts'
import { loginAnswer } from '../login-answer.ts'
import { goOnAfter, loginAt } from './mfa-stage.ts'
import { signupInput } from './signup.ts'
import { asFormErrors, NEW_CREDENTIAL } from './webauthn-input.ts'

const STAGE = 'mfa_signup_webauthn'

/** Signing up with a passkey in the place of a password. */
export const webauthnSignupResources: ApiModule = ({ settings: { mfa } }) =>
  mfa.enabled && mfa.passkeySignupEnabled ? [resource] : []

const resource: ApiResource = {
  path: 'auth/webauthn/signup',
  tag: 'Authentication: passkeys',
  access: 'anon',
  limit: { action: 'signup', per: 'ip', alsoGet: true },
  before: refuseWithoutStage,
  operations: {
    POST: operationOf({
      summary: 'Begin to sign up by a passkey',
      input: (call) => signupInput(call, { password: false }),
      answers: { 200: 'Authenticated', 403: 'Status', 409: 'Status' },
      handle: (call, input) => begin(call, input as FormValues), // text and booleans alone, by `signupInput`
    }),
    GET: operation({
      summary: 'Options to make the passkey',
      answers: { 200: 'CreationOptions', 409: 'Status' },
      async handle(call) {
        const { core, request } = call
        const { user } = await loginAt(call, STAGE)
        return { kind: 'data', data: { creation_options: await core.mfa.webauthn.signupOptions(request, user) } }
      },
    }),
    PUT: operation({
      summary: 'Complete the sign-up by the passkey',
      input: NEW_CREDENTIAL,
      answers: { 200: 'Authenticated', 409: 'Status' },
      async handle(call, given) {
        const { core, request } = call
        const login = await loginAt(call, STAGE)
        return goOnAfter(call, login, () =>
          asFormErrors(() => core.mfa.webauthn.completeSignup(request, login.user, given)),
        )
      },
    }),
  },
}

/** Who is signed in has no sign-up under way. @throws {AuthError} `flow_wrong_stage` */
async function refuseWithoutStage({ core, request }: ApiCall, method: string): Promise<null> {
  if (method !== 'GET' && method !== 'PUT') return null
  const isPending = request.user === null && (await core.login.at(request, STAGE)) !== null
  if (!isPending) throw new AuthError('flow_wrong_stage')
  return null
}

/** What was given is checked before what stands in the way of every sign-up. */
async function begin({ core, request }: ApiCall, values: FormValues): Promise<ApiAnswer> {
  const isOpen = request.user === null && (await core.adapter.isOpenForSignup(request))
  if (isOpen) return loginAnswer(await core.mfa.webauthn.beginSignup(request, values))
  await cleanSignup(core, request, values, { withoutPassword: true })
  throw new AuthError(request.user === null ? 'permission_denied' : 'flow_wrong_stage')
}
