import { AuthError, InvalidInput } from '../../errors.ts'
import {
  countInvalidAttempt,
  loginAnswer,
  createResource,
  implement,
  type ApiAnswer,
  type ApiResource,
} from '../../kernel/operations/operation.ts'
import { takeStageSlot, releaseSlotOnRetry } from '../../kernel/operations/stage-limit.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { canChangePhone, changePhone, changePhoneAtStage, cleanNewPhone } from '../phone/change.ts'
import {
  canResendPhoneCode,
  pendingPhoneCode,
  type PendingPhoneCode,
  phoneCodes,
  resendPhoneCode,
  tryPhoneCode,
} from '../phone/code-verification.ts'
import { canSendTexts } from '../phone/hooks.ts'
import { requireSignedIn, requireRecent } from '../refusals.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'

/** One's phone number; for a login that waits for its code, another one. */
export const phoneResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [resource(account)]

const LIMIT = 'change_phone'

const resource = (account: Account): ApiResource =>
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
          await takeStageSlot(visit, LIMIT, (await changeable(account, visit)).user)
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

/** The code that a login waits for, whose number may still be another one. @throws {AuthError} `flow_wrong_stage` */
async function changeable(account: Account, visit: Visit): Promise<PendingPhoneCode> {
  const pending = await pendingPhoneCode(account, visit)
  if (pending === null || !canChangePhone(account.kernel, pending)) throw new AuthError('flow_wrong_stage')
  return pending
}

async function changeAtStage(account: Account, visit: Visit, typed: string): Promise<ApiAnswer> {
  const pending = await changeable(account, visit)
  const changed = await releaseSlotOnRetry(visit, () => changePhoneAtStage(account, visit, pending, typed))
  if (!changed) throw new AuthError('flow_wrong_stage')
  return pendingAnswer(phoneCodes(account.kernel).current(visit)?.phone ?? pending.phone)
}

/** Proving that a phone is one's own. */
export const phoneVerificationResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [verifyResource(account), resendResource(account)]

/** The code that is waited for. @throws {AuthError} `flow_wrong_stage` */
async function requirePendingCode(account: Account, visit: Visit): Promise<PendingPhoneCode> {
  const pending = await pendingPhoneCode(account, visit)
  if (pending === null) throw new AuthError('flow_wrong_stage')
  return pending
}

const verifyResource = (account: Account): ApiResource =>
  createResource(
    [
      implement(
        ACCOUNT_OPERATIONS.verifyPhone,
        async (visit, { code }) => {
          const pending = await requirePendingCode(account, visit)
          const tried = await tryPhoneCode(account, visit, pending, code)
          if (tried.kind === 'ended') {
            throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
          }
          if (pending.login === null) return { kind: 'authentication' }
          return loginAnswer(await account.login.resume(visit, pending.login))
        },
        {
          invalid: countInvalidAttempt('code', async (visit) =>
            tryPhoneCode(account, visit, await requirePendingCode(account, visit), ''),
          ),
        },
      ),
    ],
    {
      async before(visit) {
        await requirePendingCode(account, visit)
        return null
      },
    },
  )

const resendResource = (account: Account): ApiResource =>
  createResource([
    implement(ACCOUNT_OPERATIONS.resendPhoneVerification, async (visit) => {
      const pending = await requirePendingCode(account, visit)
      if (pending.login === null || !canResendPhoneCode(account.kernel, pending))
        throw new AuthError('flow_wrong_stage')
      await resendPhoneCode(account, visit, pending)
      return { kind: 'data' }
    }),
  ])
