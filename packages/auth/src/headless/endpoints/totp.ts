import { signedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import type { Authenticator } from '../../mfa/mfa.ts'
import { type ApiAnswer, type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'
import { requireRecent } from '../require-recent.ts'
import { totpData } from './authenticator-data.ts'

/** One's authenticator app. */
export const totpResources: ApiModule = ({ settings: { mfa } }) =>
  mfa.enabled && mfa.supportedTypes.includes('totp') ? [resource] : []

const resource: ApiResource = {
  path: 'account/authenticators/totp',
  tag: 'Account: second factors',
  access: 'auth',
  operations: {
    GET: operation({
      summary: 'Your authenticator app, or what it takes to add one',
      answers: { 200: 'TotpAuthenticator', 404: 'TotpOffer', 409: 'Errors' },
      async handle(call) {
        const authenticator = await find(call)
        return authenticator === null ? offer(call) : { kind: 'data', data: totpData(authenticator) }
      },
    }),
    POST: operation({
      summary: 'Add the authenticator app to which the secret was given',
      input: [{ name: 'code', kind: 'text', required: true, about: 'What the app shows.' }],
      answers: { 200: 'TotpAdded', 409: 'Status' },
      async handle(call, { code }) {
        const { core, request } = call
        const added = await core.mfa.totp.activate(request, signedIn(request), code, () => requireRecent(call))
        return {
          kind: 'data',
          data: totpData(added.authenticator),
          meta: { recovery_codes_generated: added.recoveryCodesGenerated },
        }
      },
    }),
    DELETE: operation({
      summary: 'Remove your authenticator app',
      answers: { 200: 'Status', 400: 'Errors' },
      async handle(call) {
        const { core, request } = call
        const authenticator = await find(call)
        if (authenticator !== null) {
          await requireRecent(call)
          await core.mfa.totp.deactivate(request, signedIn(request), authenticator)
        }
        return { kind: 'data' }
      },
    }),
  },
}

async function find({ core, request }: ApiCall): Promise<Authenticator | null> {
  const [authenticator] = await core.mfa.authenticators.ofUser(request.db, signedIn(request).id, ['totp'])
  return authenticator ?? null
}

/** Not there: 404, with a new secret. */
async function offer({ core, request }: ApiCall): Promise<ApiAnswer> {
  try {
    const { secret, url } = await core.mfa.totp.offer(request, signedIn(request))
    return { kind: 'data', status: 404, meta: { secret, totp_url: url } }
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'errors', status: 409, errors: error.errors }
    throw error
  }
}
