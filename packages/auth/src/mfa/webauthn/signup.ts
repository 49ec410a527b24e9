import type { Login, LoginOutcome, LoginStage } from '../../account/login.ts'
import { cleanSignup } from '../../account/signup/clean.ts'
import { beginSignup, saveSignup } from '../../account/signup/signup-flow.ts'
import type { Core } from '../../core.ts'
import { AuthError } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { addAuthenticator } from '../changes.ts'
import type { Authenticator, WebauthnOptions } from '../mfa.ts'
import { type GivenKey, newKey } from './add.ts'
import { creationOptions } from './options.ts'

const STAGE = 'mfa_signup_webauthn'

const isEnabled = ({ settings }: Core): boolean => settings.mfa.enabled && settings.mfa.passkeySignupEnabled

/** The stage that holds back who signs up by passkey until there is one: the last one, after the address is verified. */
export const passkeySignupStage = (core: () => Core): LoginStage => ({
  key: STAGE,
  page: STAGE,
  resumable: () => true,
  async enter(_request, { state }) {
    if (!isEnabled(core()) || state.stages[STAGE] === undefined) return { kind: 'pass' }
    return { kind: 'wait' }
  },
})

/** `beginSignup` of the flow. */
export async function beginPasskeySignup(core: Core, request: Visit, values: FormValues): Promise<LoginOutcome> {
  if (!isEnabled(core) || !(await core.adapter.isOpenForSignup(request))) throw new AuthError('permission_denied')
  const cleaned = await cleanSignup(core, request, values, { withoutPassword: true })
  return beginSignup(core, request, await saveSignup(core, request, cleaned), { [STAGE]: {} })
}

/** `signupOptions` of the flow. @throws {AuthError} `flow_wrong_stage` */
export async function passkeySignupOptions(core: Core, request: Visit, user: User): Promise<WebauthnOptions> {
  await requireStage(core, request, user)
  return creationOptions(core, request, user, { purpose: 'signup', passwordless: true })
}

/** `completeSignup` of the flow. @throws {AuthError} `flow_wrong_stage` */
export async function completePasskeySignup(
  core: Core,
  request: Visit,
  user: User,
  given: GivenKey,
): Promise<Authenticator> {
  const login = await requireStage(core, request, user)
  const data = await newKey(core, request, user, 'signup', given)
  const { authenticator } = await request.transaction(async () => {
    core.login.pass(request, login)
    return addAuthenticator(core, request, user, { type: 'webauthn', data }, { silent: true })
  })
  await core.adapter.addMessage(request, 'success', 'mfa/messages/webauthn_added')
  return authenticator
}

async function requireStage(core: Core, request: Visit, user: User): Promise<Login> {
  const login = await core.login.at(request, STAGE)
  if (login?.user?.id !== user.id) throw new AuthError('flow_wrong_stage')
  return login
}
