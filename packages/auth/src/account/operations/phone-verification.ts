import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import {
  canResendPhoneCode,
  type PendingPhoneCode,
  pendingPhoneCode,
  resendPhoneCode,
  tryPhoneCode,
} from '../phone/code-verification.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'
import { asWrongTry } from '../../kernel/operations/input-errors.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'

/** Proving that a phone is one's own. */
export const phoneVerificationResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [verifyResource(account), resendResource(account)]

/** The code that is waited for. @throws {AuthError} `flow_wrong_stage` */
async function pendingOf(account: Account, visit: Visit): Promise<PendingPhoneCode> {
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
          const pending = await pendingOf(account, visit)
          const tried = await tryPhoneCode(account, visit, pending, code)
          if (tried.kind === 'ended') {
            throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
          }
          if (pending.login === null) return { kind: 'authentication' }
          return loginAnswer(await account.login.resume(visit, pending.login))
        },
        {
          invalid: asWrongTry('code', async (visit) =>
            tryPhoneCode(account, visit, await pendingOf(account, visit), ''),
          ),
        },
      ),
    ],
    {
      async before(visit) {
        await pendingOf(account, visit)
        return null
      },
    },
  )

const resendResource = (account: Account): ApiResource =>
  createResource([
    implement(ACCOUNT_OPERATIONS.resendPhoneVerification, async (visit) => {
      const pending = await pendingOf(account, visit)
      if (pending.login === null || !canResendPhoneCode(account.kernel, pending))
        throw new AuthError('flow_wrong_stage')
      await resendPhoneCode(account, visit, pending)
      return { kind: 'data' }
    }),
  ])
