import { canResend, confirmLoginCode, requestLoginCode, resendLoginCode } from '../../account/login/code-login.ts'
import { CODE_STAGE, codeOfLogin } from '../../account/login/code-processes.ts'
import type { Login } from '../../account/login.ts'
import type { Core } from '../../core.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import { type ApiCall, type ApiModule, type ApiResource, operation, operationOf } from '../endpoint.ts'
import { asWrongTry } from '../input-errors.ts'
import type { InputField } from '../input.ts'
import { loginAnswer } from '../login-answer.ts'

/** Login by a code. One that the settings demand is confirmed here too, so that is always there. */
export const loginCodeResources: ApiModule = (core) =>
  core.settings.account.loginByCodeEnabled ? [REQUEST, CONFIRM, RESEND] : [CONFIRM]

/** The login that waits for a code. @throws {AuthError} `flow_wrong_stage` */
async function waiting({ core, request }: ApiCall): Promise<Login> {
  const login = request.user === null ? await core.login.at(request, CODE_STAGE) : null
  if (login === null || codeOfLogin(core, request, login) === null) throw new AuthError('flow_wrong_stage')
  return login
}

const REQUEST: ApiResource = {
  path: 'auth/code/request',
  tag: 'Login by code',
  access: 'anon',
  operations: {
    POST: operationOf({
      summary: 'Sends a code to sign in with',
      input: ({ core }) => requestFields(core),
      answers: { 200: 'Authenticated', 401: 'AuthenticationFlows' },
      async handle({ core, request }, { email = '', phone = '' }) {
        const asked = { email: String(email), phone: String(phone) } // read as text by `requestFields`
        return loginAnswer(await requestLoginCode(core, request, asked))
      },
    }),
  },
}

/** As on the page: an address, a phone where people sign in with phones, or one of the two. */
function requestFields({ settings }: Core): readonly InputField[] {
  const { loginMethods } = settings.account
  const hasPhone = loginMethods.includes('phone')
  const hasEmail = !hasPhone || loginMethods.length > 1
  return [
    ...(hasEmail ? [{ name: 'email', kind: 'email', required: !hasPhone, maxLength: 320 } as const] : []),
    ...(hasPhone ? [{ name: 'phone', kind: 'text', required: !hasEmail, maxLength: 40 } as const] : []),
  ]
}

const CONFIRM: ApiResource = {
  path: 'auth/code/confirm',
  tag: 'Login by code',
  access: 'anon',
  async before(call) {
    await waiting(call)
    return null
  },
  operations: {
    POST: operation({
      summary: 'Signs in with a code',
      input: [{ name: 'code', kind: 'text', required: true }],
      answers: { 200: 'Authenticated', 401: 'AuthenticationFlows', 409: 'Status' },
      invalid: asWrongTry('code', async (call) => confirmLoginCode(call.core, call.request, await waiting(call), '')),
      async handle(call, { code }) {
        const { core, request } = call
        const result = await confirmLoginCode(core, request, await waiting(call), code)
        if (result.kind === 'confirmed') return loginAnswer(result.outcome)
        throw new InvalidInput([core.adapter.validationError('incorrect_code', { param: 'code' })])
      },
    }),
  },
}

const RESEND: ApiResource = {
  path: 'auth/code/resend',
  tag: 'Login by code',
  access: 'anon',
  operations: {
    POST: operation({
      summary: 'Sends another code; the one before does not work any more',
      answers: { 200: 'Status', 409: 'Status' },
      ignoresBody: true,
      async handle(call) {
        const { core, request } = call
        const login = await waiting(call)
        const process = codeOfLogin(core, request, login)
        if (process === null || !canResend(core, process)) throw new AuthError('flow_wrong_stage')
        await resendLoginCode(core, request, login)
        return { kind: 'data' }
      },
    }),
  },
}
