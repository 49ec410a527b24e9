import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { canResend, confirmLoginCode, requestLoginCode, resendLoginCode } from '../login/code-login.ts'
import { CODE_STAGE, findLoginCode } from '../login/code-processes.ts'
import type { Login } from '../../kernel/login.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'
import { countInvalidAttempt } from '../../kernel/operations/input-errors.ts'
import type { InputField } from '../../kernel/operations/declaration.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'

/** Login by a code. One that the settings demand is confirmed here too, so that is always there. */
export const loginCodeResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.account.loginByCodeEnabled
    ? [requestResource(account), confirmResource(account), resendResource(account)]
    : [confirmResource(account)]

/** The login that waits for a code. @throws {AuthError} `flow_wrong_stage` */
async function requirePendingLogin(account: Account, visit: Visit): Promise<Login> {
  const login = visit.user === null ? await account.login.at(visit, CODE_STAGE) : null
  if (login === null || findLoginCode(visit, login) === null) throw new AuthError('flow_wrong_stage')
  return login
}

const requestResource = (account: Account): ApiResource =>
  createResource([
    implement(
      ACCOUNT_OPERATIONS.requestLoginCode,
      async (visit, { email = '', phone = '' }) =>
        loginAnswer(await requestLoginCode(account, visit, { email, phone })),
      { fields: () => requestFields(account.kernel) },
    ),
  ])

/** As on the page: an address, a phone where people sign in with phones, or one of the two. */
function requestFields({ settings }: Pick<Kernel, 'settings'>): readonly InputField[] {
  const { loginMethods } = settings.account
  const hasPhone = loginMethods.includes('phone')
  const hasEmail = !hasPhone || loginMethods.length > 1
  const present = { email: hasEmail, phone: hasPhone }
  return ACCOUNT_OPERATIONS.requestLoginCode.input
    .filter(({ name }) => present[name])
    .map((field) => ({ ...field, required: !(hasEmail && hasPhone) }))
}

const confirmResource = (account: Account): ApiResource =>
  createResource(
    [
      implement(
        ACCOUNT_OPERATIONS.confirmLoginCode,
        async (visit, { code }) => {
          const result = await confirmLoginCode(account, visit, await requirePendingLogin(account, visit), code)
          if (result.kind === 'confirmed') return loginAnswer(result.outcome)
          throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
        },
        {
          invalid: countInvalidAttempt('code', async (visit) =>
            confirmLoginCode(account, visit, await requirePendingLogin(account, visit), ''),
          ),
        },
      ),
    ],
    {
      async before(visit) {
        await requirePendingLogin(account, visit)
        return null
      },
    },
  )

const resendResource = (account: Account): ApiResource =>
  createResource([
    implement(ACCOUNT_OPERATIONS.resendLoginCode, async (visit) => {
      const login = await requirePendingLogin(account, visit)
      const process = findLoginCode(visit, login)
      if (process === null || !canResend(account.kernel, process)) throw new AuthError('flow_wrong_stage')
      await resendLoginCode(account, visit, login)
      return { kind: 'data' }
    }),
  ])
