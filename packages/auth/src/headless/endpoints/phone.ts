import { canChangePhone, changePhone, changePhoneAtStage, cleanNewPhone } from '../../account/phone/change.ts'
import { type PendingPhoneCode, pendingPhoneCode, phoneCodes } from '../../account/phone/code-verification.ts'
import { sendsMessages } from '../../account/phone/hooks.ts'
import { signedIn } from '../../account/signed-in.ts'
import { AuthError } from '../../errors.ts'
import { type ApiAnswer, type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'
import { requireRecent } from '../require-recent.ts'
import { takeAtStage, unlessRepeated } from '../stage-limit.ts'

/** One's phone number; for a login that waits for its code, another one. */
export const phoneResources: ApiModule = (core) => (core.settings.socialaccount.only ? [] : [resource])

const LIMIT = 'change_phone'

const resource: ApiResource = {
  path: 'account/phone',
  tag: 'Account: phone',
  access: 'anon',
  limit: { action: LIMIT, per: 'user' },
  async before(call, method) {
    const { core, request } = call
    if (request.user === null) {
      if (method !== 'POST') return { kind: 'authentication' }
      await takeAtStage(call, LIMIT, (await changeable(call)).user)
    }
    if (method === 'POST' && !sendsMessages(core)) throw new AuthError('permission_denied')
    return null
  },
  operations: {
    GET: operation({
      summary: 'Your phone number',
      answers: { 200: 'PhoneNumbers', 401: 'AuthenticationFlows' },
      async handle({ core, request }) {
        const present = await core.adapter.getPhone(request, signedIn(request))
        const numbers = present === null ? [] : [{ phone: present.phone, verified: present.verified }]
        return { kind: 'data', data: numbers }
      },
    }),
    POST: operation({
      summary: 'Take another phone number, once the code that is sent to it is verified',
      input: [{ name: 'phone', kind: 'text', required: true, maxLength: 100, about: 'With the code of the country.' }],
      answers: { 202: 'PhoneNumbers', 401: 'AuthenticationFlows', 403: 'Status', 409: 'Status' },
      handle: (call, { phone }) => (call.request.user === null ? changeAtStage(call, phone) : change(call, phone)),
    }),
  },
}

const pendingAnswer = (phone: string): ApiAnswer => ({ kind: 'data', status: 202, data: [{ phone, verified: false }] })

async function change(call: ApiCall, typed: string): Promise<ApiAnswer> {
  const { core, request } = call
  const user = signedIn(request)
  const changed = await cleanNewPhone(core, request, user, typed)
  if (core.settings.account.reauthenticationRequired) await requireRecent(call)
  await changePhone(core, request, user, changed)
  return pendingAnswer(changed.phone)
}

/** The code that a login waits for, whose number may still be another one. @throws {AuthError} `flow_wrong_stage` */
async function changeable({ core, request }: ApiCall): Promise<PendingPhoneCode> {
  const pending = await pendingPhoneCode(core, request)
  if (pending === null || !canChangePhone(core, pending)) throw new AuthError('flow_wrong_stage')
  return pending
}

async function changeAtStage(call: ApiCall, typed: string): Promise<ApiAnswer> {
  const { core, request } = call
  const pending = await changeable(call)
  const changed = await unlessRepeated(call, () => changePhoneAtStage(core, request, pending, typed))
  if (!changed) throw new AuthError('flow_wrong_stage')
  return pendingAnswer(phoneCodes(core).current(request)?.phone ?? pending.phone)
}
