import { signedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import { refuseUnverified } from '../../mfa/may-enable.ts'
import type { Authenticator } from '../../mfa/mfa.ts'
import { type ApiAnswer, type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'
import { requireRecent } from '../require-recent.ts'
import { webauthnData } from './authenticator-data.ts'
import { asFormErrors, NEW_CREDENTIAL } from './webauthn-input.ts'

const MAX_NAME_LENGTH = 100

/** One's security keys and passkeys. */
export const webauthnResources: ApiModule = ({ settings: { mfa } }) =>
  mfa.enabled && mfa.supportedTypes.includes('webauthn') ? [resource] : []

const resource: ApiResource = {
  path: 'account/authenticators/webauthn',
  tag: 'Account: second factors',
  access: 'auth',
  before: (call, method) =>
    method === 'GET' || method === 'POST' ? conflictWhenUnverified(call) : Promise.resolve(null),
  operations: {
    GET: operation({
      summary: 'Options to add a security key',
      query: ['passwordless'],
      answers: { 200: 'CreationOptions', 409: 'Errors' },
      async handle(call) {
        const { core, request } = call
        await requireRecent(call)
        const passwordless = request.url.searchParams.has('passwordless')
        const options = await core.mfa.webauthn.creationOptions(request, signedIn(request), { passwordless })
        return { kind: 'data', data: { creation_options: options } }
      },
    }),
    POST: operation({
      summary: 'Add a security key',
      input: NEW_CREDENTIAL,
      answers: { 200: 'WebauthnAdded', 409: 'Errors' },
      async handle(call, given) {
        const { core, request } = call
        await requireRecent(call)
        const added = await asFormErrors(() => core.mfa.webauthn.add(request, signedIn(request), given))
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
      async handle(call, { id, name }) {
        const { core, request } = call
        const [authenticator] = await ownKeys(call, [id])
        if (authenticator === undefined) throw notAChoice(call, 'id')
        await requireRecent(call)
        const renamed = await core.mfa.webauthn.rename(request, signedIn(request), authenticator, name)
        return { kind: 'data', data: webauthnData(renamed) }
      },
    }),
    DELETE: operation({
      summary: 'Remove security keys',
      input: [{ name: 'authenticators', kind: 'ids', required: true }],
      answers: { 200: 'Status' },
      async handle(call, { authenticators }) {
        const { core, request } = call
        const keys = await ownKeys(call, authenticators)
        if (keys.length < new Set(authenticators).size) throw notAChoice(call, 'authenticators')
        await requireRecent(call)
        await core.mfa.webauthn.remove(request, signedIn(request), keys)
        return { kind: 'data' }
      },
    }),
  },
}

async function conflictWhenUnverified({ core, request }: ApiCall): Promise<ApiAnswer | null> {
  try {
    await refuseUnverified(core, request, signedIn(request))
    return null
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'errors', status: 409, errors: error.errors }
    throw error
  }
}

/** Those of the keys that are the visitor's own. */
async function ownKeys({ core, request }: ApiCall, ids: readonly number[]): Promise<readonly Authenticator[]> {
  const keys = await core.mfa.authenticators.ofUser(request.db, signedIn(request).id, ['webauthn'])
  return keys.filter(({ id }) => ids.includes(id))
}

const notAChoice = ({ core }: ApiCall, param: string): InvalidInput =>
  new InvalidInput([core.adapter.validationError('invalid_choice', { param })])
