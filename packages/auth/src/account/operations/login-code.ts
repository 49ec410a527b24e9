import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { canResend, confirmLoginCode, requestLoginCode, resendLoginCode } from '../login/code-login.ts'
import { CODE_STAGE, codeOfLogin } from '../login/code-processes.ts'
import type { Login } from '../../kernel/login.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import { type ApiResource, operation, operationOf } from '../../kernel/operations/operation.ts'
import { asWrongTry } from '../../kernel/operations/input-errors.ts'
import type { InputField } from '../../kernel/operations/input.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'

/** Login by a code. One that the settings demand is confirmed here too, so that is always there. */
export const loginCodeResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.account.loginByCodeEnabled
    ? [requestResource(account), confirmResource(account), resendResource(account)]
    : [confirmResource(account)]

/** The login that waits for a code. @throws {AuthError} `flow_wrong_stage` */
async function waiting(account: Account, visit: Visit): Promise<Login> {
  const login = visit.user === null ? await account.login.at(visit, CODE_STAGE) : null
  if (login === null || codeOfLogin(visit, login) === null) throw new AuthError('flow_wrong_stage')
  return login
}

const requestResource = (account: Account): ApiResource => ({
  path: 'auth/code/request',
  tag: 'Login by code',
  access: 'anon',
  operations: {
    POST: operationOf({
      summary: 'Sends a code to sign in with',
      input: () => requestFields(account.kernel),
      answers: { 200: 'Authenticated', 401: 'AuthenticationFlows' },
      async handle(visit, { email = '', phone = '' }) {
        const asked = { email: String(email), phone: String(phone) } // read as text by `requestFields`
        return loginAnswer(await requestLoginCode(account, visit, asked))
      },
    }),
  },
})

/** As on the page: an address, a phone where people sign in with phones, or one of the two. */
function requestFields({ settings }: Pick<Kernel, 'settings'>): readonly InputField[] {
  const { loginMethods } = settings.account
  const hasPhone = loginMethods.includes('phone')
  const hasEmail = !hasPhone || loginMethods.length > 1
  return [
    ...(hasEmail ? [{ name: 'email', kind: 'email', required: !hasPhone, maxLength: 320 } as const] : []),
    ...(hasPhone ? [{ name: 'phone', kind: 'text', required: !hasEmail, maxLength: 40 } as const] : []),
  ]
}

const confirmResource = (account: Account): ApiResource => ({
  path: 'auth/code/confirm',
  tag: 'Login by code',
  access: 'anon',
  async before(visit) {
    await waiting(account, visit)
    return null
  },
  operations: {
    POST: operation({
      summary: 'Signs in with a code',
      input: [{ name: 'code', kind: 'text', required: true }],
      answers: { 200: 'Authenticated', 401: 'AuthenticationFlows', 409: 'Status' },
      invalid: asWrongTry('code', async (visit) => confirmLoginCode(account, visit, await waiting(account, visit), '')),
      async handle(visit, { code }) {
        const result = await confirmLoginCode(account, visit, await waiting(account, visit), code)
        if (result.kind === 'confirmed') return loginAnswer(result.outcome)
        throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
      },
    }),
  },
})

const resendResource = (account: Account): ApiResource => ({
  path: 'auth/code/resend',
  tag: 'Login by code',
  access: 'anon',
  operations: {
    POST: operation({
      summary: 'Sends another code; the one before does not work any more',
      answers: { 200: 'Status', 409: 'Status' },
      ignoresBody: true,
      async handle(visit) {
        const login = await waiting(account, visit)
        const process = codeOfLogin(visit, login)
        if (process === null || !canResend(account.kernel, process)) throw new AuthError('flow_wrong_stage')
        await resendLoginCode(account, visit, login)
        return { kind: 'data' }
      },
    }),
  },
})
