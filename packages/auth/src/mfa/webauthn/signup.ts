import type { Kernel } from '../../kernel/kernel.ts'
import type { Mfa } from '../second-factors.ts'
import type { Account } from '../../account/account.ts'
import type { Login, LoginOutcome, LoginStage } from '../../kernel/login.ts'
import { cleanSignup } from '../../account/signup/clean.ts'
import { beginSignup, saveSignup } from '../../account/signup/signup-flow.ts'
import { AuthError } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { addAuthenticator } from '../changes.ts'
import type { Authenticator, WebauthnOptions } from '../mfa.ts'
import { type NewKey, checkNewKey } from './add.ts'
import { creationOptions } from './options.ts'

const STAGE = 'mfa_signup_webauthn'

const isEnabled = ({ settings }: Pick<Kernel, 'settings'>): boolean =>
  settings.mfa.enabled && settings.mfa.passkeySignupEnabled

/** Returns the login stage where a new user creates the passkey: the last one, after the address is verified. */
export const passkeySignupStage = (mfa: Mfa): LoginStage => ({
  key: STAGE,
  page: STAGE,
  resumable: () => true,
  async enter(_request, { state }) {
    if (!isEnabled(mfa.kernel) || state.stages[STAGE] === undefined) return { kind: 'pass' }
    return { kind: 'wait' }
  },
})

/** Implements `beginSignup` of the flow. */
export async function beginPasskeySignup(account: Account, request: Visit, values: FormValues): Promise<LoginOutcome> {
  if (!isEnabled(account.kernel) || !(await account.adapter.isOpenForSignup(request)))
    throw new AuthError('permission_denied')
  const cleaned = await cleanSignup(account, request, values, { withoutPassword: true })
  return beginSignup(account, request, await saveSignup(account, request, cleaned), { [STAGE]: {} })
}

/** Implements `signupOptions` of the flow. @throws {AuthError} `flow_wrong_stage` */
export async function passkeySignupOptions(mfa: Mfa, request: Visit, user: User): Promise<WebauthnOptions> {
  await requireStage(mfa.account, request, user)
  return creationOptions(mfa, request, user, { purpose: 'signup', passwordless: true })
}

/** Implements `completeSignup` of the flow. @throws {AuthError} `flow_wrong_stage` */
export async function completePasskeySignup(
  mfa: Mfa,
  request: Visit,
  user: User,
  given: NewKey,
): Promise<Authenticator> {
  const login = await requireStage(mfa.account, request, user)
  const data = await checkNewKey(mfa, request, user, 'signup', given)
  const { authenticator } = await request.transaction(async () => {
    mfa.account.login.pass(request, login)
    return addAuthenticator(mfa, request, user, { type: 'webauthn', data }, { silent: true })
  })
  await mfa.account.adapter.addMessage(request, 'success', 'mfa/messages/webauthn_added')
  return authenticator
}

async function requireStage(account: Account, request: Visit, user: User): Promise<Login> {
  const login = await account.login.at(request, STAGE)
  if (login?.user?.id !== user.id) throw new AuthError('flow_wrong_stage')
  return login
}
