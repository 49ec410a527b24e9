import { signedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import { type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'
import { requireRecent } from '../require-recent.ts'
import { recoveryCodesData } from './authenticator-data.ts'

/** One's recovery codes. */
export const recoveryCodesResources: ApiModule = ({ settings: { mfa } }) =>
  mfa.enabled && mfa.supportedTypes.includes('recovery_codes') ? [resource] : []

const resource: ApiResource = {
  path: 'account/authenticators/recovery-codes',
  tag: 'Account: second factors',
  access: 'auth',
  operations: {
    GET: operation({
      summary: 'Your recovery codes',
      answers: { 200: 'RecoveryCodes', 404: 'Status' },
      async handle(call) {
        const { core, request } = call
        const user = signedIn(request)
        if ((await core.mfa.recoveryCodes.find(request, user)) === null) return { kind: 'data', status: 404 }
        await requireRecent(call)
        const codes = await core.mfa.recoveryCodes.view(request, user)
        if (codes === null) return { kind: 'data', status: 404 }
        const shown = codes.canView ? { unused_codes: codes.unused } : {}
        return { kind: 'data', data: { ...recoveryCodesData(codes), ...shown } }
      },
    }),
    POST: operation({
      summary: 'Replace your recovery codes by new ones',
      answers: { 200: 'RecoveryCodes', 400: 'Errors' },
      async handle(call) {
        const { core, request } = call
        const user = signedIn(request)
        await refuseWithoutOtherFactor(call)
        await requireRecent(call)
        const codes = await core.mfa.recoveryCodes.generate(request, user)
        await core.mfa.recoveryCodes.view(request, user) // the answer shows them
        return { kind: 'data', data: { ...recoveryCodesData(codes), unused_codes: codes.unused } }
      },
    }),
  },
}

/** What the flow refuses as well, before the visitor is asked to confirm who it is. */
async function refuseWithoutOtherFactor({ core, request }: ApiCall): Promise<void> {
  const others = await core.mfa.authenticators.ofUser(request.db, signedIn(request).id, ['totp', 'webauthn'])
  if (others.length === 0) {
    throw new InvalidInput([core.adapter.validationError('cannot_generate_recovery_codes')])
  }
}
