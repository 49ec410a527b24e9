import type { Core } from '../../core.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Login, LoginStage, StageDecision } from '../login.ts'
import { isSendable } from '../login/sendable.ts'
import { PHONE_STAGE, phoneCodes, startPhoneCode, takeVerifyPhone } from './code-verification.ts'

/** Page where a login waits until a phone is verified. */
export const PHONE_STAGE_PAGE = 'account_verify_phone'

/** The stage that holds a login back until the user's phone is verified, where accounts have phones. */
export function phoneStage(core: () => Core): LoginStage {
  return {
    key: PHONE_STAGE,
    page: PHONE_STAGE_PAGE,
    // Without a code that is waited for its page would lead back.
    resumable: (request) => phoneCodes(core()).current(request) !== null,
    enter: (request, login) => enter(core(), request, login),
  }
}

async function enter(core: Core, request: Visit, login: Login): Promise<StageDecision> {
  const { signupFields, phoneVerificationEnabled } = core.settings.account
  const field = signupFields.find(({ name }) => name === 'phone')
  if (field === undefined) return { kind: 'pass' }
  const { user } = login
  if (user === null) {
    if (login.phone === null || !phoneVerificationEnabled) return { kind: 'pass' }
    return send(core, request, login, null, login.phone)
  }
  const present = await core.adapter.getPhone(request, user)
  if (present === null) return { kind: field.required ? 'abort' : 'pass' }
  if (present.verified || !phoneVerificationEnabled) return { kind: 'pass' }
  return send(core, request, login, user, present.phone)
}

async function send(
  core: Core,
  request: Visit,
  { signup }: Login,
  user: User | null,
  phone: string,
): Promise<StageDecision> {
  const isSent = await isSendable(core, request, () => takeVerifyPhone(core, request, phone))
  await startPhoneCode(core, request, { user, phone, signup, stage: true, unsent: !isSent })
  return { kind: 'wait' }
}
