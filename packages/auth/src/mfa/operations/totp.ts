import type { Mfa } from '../second-factors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { signedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import type { Authenticator } from '../mfa.ts'
import { type ApiAnswer, type ApiResource, operation } from '../../kernel/operations/operation.ts'
import { requireRecent } from '../../account/operations/require-recent.ts'
import { totpData } from './authenticator-data.ts'

/** One's authenticator app. */
export const totpResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.supportedTypes.includes('totp') ? [resource(mfa)] : []

const resource = (mfa: Mfa): ApiResource => ({
  path: 'account/authenticators/totp',
  tag: 'Account: second factors',
  access: 'auth',
  operations: {
    GET: operation({
      summary: 'Your authenticator app, or what it takes to add one',
      answers: { 200: 'TotpAuthenticator', 404: 'TotpOffer', 409: 'Errors' },
      async handle(visit) {
        const authenticator = await find(mfa, visit)
        return authenticator === null ? offer(mfa, visit) : { kind: 'data', data: totpData(authenticator) }
      },
    }),
    POST: operation({
      summary: 'Add the authenticator app to which the secret was given',
      input: [{ name: 'code', kind: 'text', required: true, about: 'What the app shows.' }],
      answers: { 200: 'TotpAdded', 409: 'Status' },
      async handle(visit, { code }) {
        const added = await mfa.totp.activate(visit, signedIn(visit), code, () => requireRecent(mfa.account, visit))
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
      async handle(visit) {
        const authenticator = await find(mfa, visit)
        if (authenticator !== null) {
          await requireRecent(mfa.account, visit)
          await mfa.totp.deactivate(visit, signedIn(visit), authenticator)
        }
        return { kind: 'data' }
      },
    }),
  },
})

async function find(mfa: Mfa, visit: Visit): Promise<Authenticator | null> {
  const [authenticator] = await mfa.authenticators.ofUser(visit.db, signedIn(visit).id, ['totp'])
  return authenticator ?? null
}

/** Not there: 404, with a new secret. */
async function offer(mfa: Mfa, visit: Visit): Promise<ApiAnswer> {
  try {
    const { secret, url } = await mfa.totp.offer(visit, signedIn(visit))
    return { kind: 'data', status: 404, meta: { secret, totp_url: url } }
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'errors', status: 409, errors: error.errors }
    throw error
  }
}
