import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Login, LoginStage, StageDecision } from '../../kernel/login.ts'
import { takeSendSlot } from '../login/code-delivery.ts'
import { PHONE_STAGE, phoneCodes, startPhoneCode, takeVerifyPhoneSlot } from './code-verification.ts'

/** Name of the page where a login waits until a phone is verified. */
export const PHONE_STAGE_PAGE = 'account_verify_phone'

/** Returns the login stage that sends a code and waits until the user's phone is verified, if accounts have phones. */
export function phoneStage(account: Account): LoginStage {
  return {
    key: PHONE_STAGE,
    page: PHONE_STAGE_PAGE,
    // Without a pending code, the page would redirect back.
    resumable: (request) => phoneCodes(account.kernel).current(request) !== null,
    enter: (request, login) => enter(account, request, login),
  }
}

async function enter(account: Account, request: Visit, login: Login): Promise<StageDecision> {
  const { signupFields, phoneVerificationEnabled } = account.kernel.settings.account
  const field = signupFields.find(({ name }) => name === 'phone')
  if (field === undefined) return { kind: 'pass' }
  const { user } = login
  if (user === null) {
    if (login.phone === null || !phoneVerificationEnabled) return { kind: 'pass' }
    return send(account, request, login, null, login.phone)
  }
  const present = await account.adapter.getPhone(request, user)
  if (present === null) return { kind: field.required ? 'abort' : 'pass' }
  if (present.verified || !phoneVerificationEnabled) return { kind: 'pass' }
  return send(account, request, login, user, present.phone)
}

async function send(
  account: Account,
  request: Visit,
  { signup }: Login,
  user: User | null,
  phone: string,
): Promise<StageDecision> {
  const isSent = await takeSendSlot(account, request, () => takeVerifyPhoneSlot(request, phone))
  await startPhoneCode(account, request, { user, phone, signup, stage: true, unsent: !isSent })
  return { kind: 'wait' }
}
