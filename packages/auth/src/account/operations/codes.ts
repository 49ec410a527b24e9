import { AuthError, InvalidInput } from '../../errors.ts'
import {
  type ApiAnswer,
  type ApiResource,
  countInvalidAttempt,
  createResource,
  implement,
} from '../../kernel/operations/operation.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import type { ACCOUNT_OPERATIONS } from './table.ts'

/** A code sent to a visitor. */
export interface SentCode<Pending> {
  /** Returns what is waiting for the code. @throws {AuthError} `flow_wrong_stage` */
  requirePending(visit: Visit): Promise<Pending>
  /** Checks a code and counts the attempt. Returns `null` if it's wrong. @throws {InvalidInput} */
  check(visit: Visit, pending: Pending, code: string): Promise<ApiAnswer | null>
  /** Sends another code. Returns `false` if that isn't offered (any more). @throws {AuthError} `rate_limited` */
  resend(visit: Visit, pending: Pending): Promise<boolean>
}

type Rows = typeof ACCOUNT_OPERATIONS

/** Creates the resource that checks a code. Unreadable codes count as attempts too. */
export const checkResource = <Pending>(
  account: Account,
  row: Rows['confirmLoginCode'] | Rows['verifyPhone'],
  { requirePending, check }: Omit<SentCode<Pending>, 'resend'>,
): ApiResource =>
  createResource(
    [
      implement(
        row,
        async (visit, { code }) => {
          const answer = await check(visit, await requirePending(visit), code)
          if (answer !== null) return answer
          throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
        },
        { invalid: countInvalidAttempt('code', async (visit) => check(visit, await requirePending(visit), '')) },
      ),
    ],
    {
      async before(visit) {
        await requirePending(visit)
        return null
      },
    },
  )

/** Creates the resource that sends another code. */
export const resendResource = <Pending>(
  row: Rows['resendLoginCode'] | Rows['resendPhoneVerification'] | Rows['resendEmailVerification'],
  { requirePending, resend }: Omit<SentCode<Pending>, 'check'>,
): ApiResource =>
  createResource([
    implement(row, async (visit) => {
      if (!(await resend(visit, await requirePending(visit)))) throw new AuthError('flow_wrong_stage')
      return { kind: 'data' }
    }),
  ])
