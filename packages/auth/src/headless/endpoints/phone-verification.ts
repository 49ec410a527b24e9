import {
  canResendPhoneCode,
  type PendingPhoneCode,
  pendingPhoneCode,
  resendPhoneCode,
  tryPhoneCode,
} from '../../account/phone/code-verification.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import { type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'
import { asWrongTry } from '../input-errors.ts'
import { loginAnswer } from '../login-answer.ts'

/** Proving that a phone is one's own. */
export const phoneVerificationResources: ApiModule = (core) =>
  core.settings.socialaccount.only ? [] : [VERIFY, RESEND]

/** The code that is waited for. @throws {AuthError} `flow_wrong_stage` */
async function pendingOf({ core, request }: ApiCall): Promise<PendingPhoneCode> {
  const pending = await pendingPhoneCode(core, request)
  if (pending === null) throw new AuthError('flow_wrong_stage')
  return pending
}

const VERIFY: ApiResource = {
  path: 'auth/phone/verify',
  tag: 'Account',
  access: 'anon',
  async before(call) {
    await pendingOf(call)
    return null
  },
  operations: {
    POST: operation({
      summary: 'Verifies a phone number with the code that was sent to it',
      input: [{ name: 'code', kind: 'text', required: true }],
      answers: { 200: 'Authenticated', 401: 'AuthenticationFlows', 409: 'Status' },
      invalid: asWrongTry('code', async (call) => tryPhoneCode(call.core, call.request, await pendingOf(call), '')),
      async handle(call, { code }) {
        const { core, request } = call
        const pending = await pendingOf(call)
        const tried = await tryPhoneCode(core, request, pending, code)
        if (tried.kind === 'ended') {
          throw new InvalidInput([core.adapter.validationError('incorrect_code', { param: 'code' })])
        }
        if (pending.login === null) return { kind: 'authentication' }
        return loginAnswer(await core.login.resume(request, pending.login))
      },
    }),
  },
}

const RESEND: ApiResource = {
  path: 'auth/phone/verify/resend',
  tag: 'Account',
  access: 'anon',
  operations: {
    POST: operation({
      summary: 'Sends another code to the phone that a login waits for',
      answers: { 200: 'Status', 409: 'Status' },
      ignoresBody: true,
      async handle(call) {
        const { core, request } = call
        const pending = await pendingOf(call)
        if (pending.login === null || !canResendPhoneCode(core, pending)) throw new AuthError('flow_wrong_stage')
        await resendPhoneCode(core, request, pending)
        return { kind: 'data' }
      },
    }),
  },
}
