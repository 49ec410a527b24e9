import { AuthError } from '../../errors.ts'
import {
  type ApiAnswer,
  type ApiResource,
  createResource,
  implement,
  loginAnswer,
} from '../../kernel/operations/operation.ts'
import { takeStageSlot, releaseSlotOnRetry } from '../../kernel/operations/stage-limit.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { canChangePhone, changePhone, changePhoneAtStage, cleanNewPhone } from '../phone/change.ts'
import {
  pendingPhoneCode,
  type PendingPhoneCode,
  phoneCodes,
  resendPhoneCode,
  tryPhoneCode,
} from '../phone/code-verification.ts'
import { canSendTexts } from '../phone/hooks.ts'
import { requireSignedIn, requireRecent } from '../refusals.ts'
import { checkResource, resendResource, type SentCode } from './codes.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'

/** Returns the operations on the user's phone number. A login that waits for a code can change the number too. */
export const phoneResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [numberResource(account)]

const LIMIT = 'change_phone'

const numberResource = (account: Account): ApiResource =>
  createResource(
    [
      implement(ACCOUNT_OPERATIONS.getPhone, async (visit) => {
        const present = await account.adapter.getPhone(visit, requireSignedIn(visit))
        const numbers = present === null ? [] : [{ phone: present.phone, verified: present.verified }]
        return { kind: 'data', data: numbers }
      }),
      implement(ACCOUNT_OPERATIONS.changePhone, (visit, { phone }) =>
        visit.user === null ? changeAtStage(account, visit, phone) : change(account, visit, phone),
      ),
    ],
    {
      limit: { action: LIMIT, per: 'user' },
      async before(visit, method) {
        if (visit.user === null) {
          if (method !== 'POST') return { kind: 'authentication' }
          await takeStageSlot(visit, LIMIT, (await requireChangeablePhone(account, visit)).user)
        }
        if (method === 'POST' && !canSendTexts(account)) throw new AuthError('permission_denied')
        return null
      },
    },
  )

const pendingAnswer = (phone: string): ApiAnswer => ({ kind: 'data', status: 202, data: [{ phone, verified: false }] })

async function change(account: Account, visit: Visit, typed: string): Promise<ApiAnswer> {
  const user = requireSignedIn(visit)
  const changed = await cleanNewPhone(account, visit, user, typed)
  if (account.kernel.settings.account.reauthenticationRequired) await requireRecent(account, visit)
  await changePhone(account, visit, user, changed)
  return pendingAnswer(changed.phone)
}

/** Returns the pending code if its login can still change the number. @throws {AuthError} `flow_wrong_stage` */
async function requireChangeablePhone(account: Account, visit: Visit): Promise<PendingPhoneCode> {
  const pending = await pendingPhoneCode(account, visit)
  if (pending === null || !canChangePhone(account.kernel, pending)) throw new AuthError('flow_wrong_stage')
  return pending
}

async function changeAtStage(account: Account, visit: Visit, typed: string): Promise<ApiAnswer> {
  const pending = await requireChangeablePhone(account, visit)
  const changed = await releaseSlotOnRetry(visit, () => changePhoneAtStage(account, visit, pending, typed))
  if (!changed) throw new AuthError('flow_wrong_stage')
  return pendingAnswer(phoneCodes(account.kernel).current(visit)?.phone ?? pending.phone)
}

/** Returns the operations that verify a phone number. */
export const phoneVerificationResources = (account: Account): readonly ApiResource[] => {
  if (account.kernel.settings.socialaccount.only) return []
  const sent = sentPhoneCode(account)
  return [
    checkResource(account, ACCOUNT_OPERATIONS.verifyPhone, sent),
    resendResource(ACCOUNT_OPERATIONS.resendPhoneVerification, sent),
  ]
}

const sentPhoneCode = (account: Account): SentCode<PendingPhoneCode> => ({
  async requirePending(visit) {
    const pending = await pendingPhoneCode(account, visit)
    if (pending === null) throw new AuthError('flow_wrong_stage')
    return pending
  },
  async check(visit, pending, code) {
    const { kind } = await tryPhoneCode(account, visit, pending, code)
    if (kind === 'ended') return null
    if (pending.login === null) return { kind: 'authentication' }
    return loginAnswer(await account.login.resume(visit, pending.login))
  },
  // A signed-in user requests another code by changing the number again.
  resend: async (visit, pending) => pending.login !== null && resendPhoneCode(account, visit, pending),
})
