import type { Mfa } from '../second-factors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { signedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import { refuseUnverified } from '../may-enable.ts'
import type { Authenticator } from '../mfa.ts'
import { type ApiAnswer, type ApiResource, operation } from '../../kernel/operations/operation.ts'
import { requireRecent } from '../../account/operations/require-recent.ts'
import { webauthnData } from './authenticator-data.ts'
import { asFormErrors, NEW_CREDENTIAL } from './webauthn-input.ts'

const MAX_NAME_LENGTH = 100

/** One's security keys and passkeys. */
export const webauthnResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.supportedTypes.includes('webauthn') ? [resource(mfa)] : []

const resource = (mfa: Mfa): ApiResource => ({
  path: 'account/authenticators/webauthn',
  tag: 'Account: second factors',
  access: 'auth',
  before: (visit, method) =>
    method === 'GET' || method === 'POST' ? conflictWhenUnverified(mfa, visit) : Promise.resolve(null),
  operations: {
    GET: operation({
      summary: 'Options to add a security key',
      query: ['passwordless'],
      answers: { 200: 'CreationOptions', 409: 'Errors' },
      async handle(visit) {
        await requireRecent(mfa.account, visit)
        const passwordless = visit.url.searchParams.has('passwordless')
        const options = await mfa.webauthn.creationOptions(visit, signedIn(visit), { passwordless })
        return { kind: 'data', data: { creation_options: options } }
      },
    }),
    POST: operation({
      summary: 'Add a security key',
      input: NEW_CREDENTIAL,
      answers: { 200: 'WebauthnAdded', 409: 'Errors' },
      async handle(visit, given) {
        await requireRecent(mfa.account, visit)
        const added = await asFormErrors(() => mfa.webauthn.add(visit, signedIn(visit), given))
        return {
          kind: 'data',
          data: webauthnData(added.authenticator),
          meta: { recovery_codes_generated: added.recoveryCodesGenerated },
        }
      },
    }),
    PUT: operation({
      summary: 'Rename a security key',
      input: [
        { name: 'id', kind: 'id', required: true },
        { name: 'name', kind: 'text', required: true, maxLength: MAX_NAME_LENGTH },
      ],
      answers: { 200: 'WebauthnAuthenticator' },
      async handle(visit, { id, name }) {
        const [authenticator] = await ownKeys(mfa, visit, [id])
        if (authenticator === undefined) throw notAChoice(mfa, 'id')
        await requireRecent(mfa.account, visit)
        const renamed = await mfa.webauthn.rename(visit, signedIn(visit), authenticator, name)
        return { kind: 'data', data: webauthnData(renamed) }
      },
    }),
    DELETE: operation({
      summary: 'Remove security keys',
      input: [{ name: 'authenticators', kind: 'ids', required: true }],
      answers: { 200: 'Status' },
      async handle(visit, { authenticators }) {
        const keys = await ownKeys(mfa, visit, authenticators)
        if (keys.length < new Set(authenticators).size) throw notAChoice(mfa, 'authenticators')
        await requireRecent(mfa.account, visit)
        await mfa.webauthn.remove(visit, signedIn(visit), keys)
        return { kind: 'data' }
      },
    }),
  },
})

async function conflictWhenUnverified(mfa: Mfa, visit: Visit): Promise<ApiAnswer | null> {
  try {
    await refuseUnverified(mfa.account, visit, signedIn(visit))
    return null
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'errors', status: 409, errors: error.errors }
    throw error
  }
}

/** Those of the keys that are the visitor's own. */
async function ownKeys(mfa: Mfa, visit: Visit, ids: readonly number[]): Promise<readonly Authenticator[]> {
  const keys = await mfa.authenticators.ofUser(visit.db, signedIn(visit).id, ['webauthn'])
  return keys.filter(({ id }) => ids.includes(id))
}

const notAChoice = (mfa: Mfa, param: string): InvalidInput =>
  new InvalidInput([mfa.account.adapter.validationError('invalid_choice', { param })])
