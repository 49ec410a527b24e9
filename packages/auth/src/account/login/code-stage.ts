import type { Account } from '../account.ts'
import { takeSlot } from '../../kernel/limits/take.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { foldText } from '../email/clean-address.ts'
import type { Login, LoginStage, StageDecision } from '../../kernel/login.ts'
import { CODE_STAGE, codeStageData, takeSendSlot, findStoredAddress, type CodeTarget } from './code-delivery.ts'
import { startLoginCode } from './code-login.ts'

/** Stage `login_by_code`: a code that the visitor requested, or that `loginByCodeRequired` requires. */
export const codeStage = (account: Account): LoginStage => ({
  key: CODE_STAGE,
  page: 'account_confirm_login_code',
  resumable: () => true,
  enter: (request, login) => enter(account, request, login),
})

async function enter(account: Account, request: Visit, login: Login): Promise<StageDecision> {
  const data = codeStageData(login)
  const { user } = login
  if (data.initiatedByUser) {
    const typed = { email: login.email, phone: login.phone }
    const target = user === null ? typed : await resolveRequestedTarget(account, request, user, typed)
    await startLoginCode(account, request, { user, target, shown: typed })
    return { kind: 'wait', data }
  }
  if (!(await account.adapter.isLoginByCodeRequired(request, login))) return { kind: 'pass' }
  const target = user === null ? decoyTarget(login) : await resolveRequiredTarget(account, request, user, login)
  if (target === null) return { kind: 'abort' }
  const subject = { ip: request.clientIp, key: foldText(target.phone ?? target.email ?? '') }
  const isSent = await takeSendSlot(account, request, () =>
    takeSlot(account.kernel.limits, 'request_login_code', subject, request.nowMs),
  )
  await startLoginCode(account, request, { user, target, shown: target, signup: login.signup, unsent: !isSent })
  return { kind: 'wait', data }
}

async function resolveRequestedTarget(
  account: Account,
  request: Visit,
  user: User,
  typed: CodeTarget,
): Promise<CodeTarget> {
  if (typed.email === null) return typed
  return { email: await findStoredAddress(account, request, user, typed.email), phone: null }
}

/** Returns the target that the code of a new account would have, for a sign-up with an address or phone already in use. */
const decoyTarget = ({ email, phone }: Login): CodeTarget => ({ email, phone: email === null ? phone : null })

/**
 * Returns where to send a required code: the verified phone used for this login, a verified address (primary first),
 * the address used for this login, the primary one, the mirrored one, or any phone. `null` if the user has none.
 */
async function resolveRequiredTarget(
  account: Account,
  request: Visit,
  user: User,
  login: Login,
): Promise<CodeTarget | null> {
  const phone = await account.adapter.getPhone(request, user)
  if (phone?.verified === true && phone.phone === login.phone) return { email: null, phone: phone.phone }
  const rows = await account.emails.ofUser(request.db, user.id)
  const verified = rows.filter((row) => row.verified)
  const row =
    verified.find(({ primary }) => primary) ??
    verified[0] ??
    rows.find(({ email }) => email === login.email) ??
    rows.find(({ primary }) => primary)
  const email = row?.email ?? user.email
  if (email !== '') return { email, phone: null }
  return phone === null ? null : { email: null, phone: phone.phone }
}
