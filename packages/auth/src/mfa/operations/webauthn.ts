import { requireRecent } from '../../account/operations/require-recent.ts'
import { requireSignedIn } from '../../account/signed-in.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import { type ApiAnswer, type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import type { Visit } from '../../kernel/visit.ts'
import { requireVerifiedEmail } from '../may-enable.ts'
import type { Authenticator } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { webauthnData } from './authenticators.ts'
import { MFA_OPERATIONS } from './table.ts'

/** One's security keys and passkeys. */
export const webauthnResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.supportedTypes.includes('webauthn') ? [resource(mfa)] : []

const resource = (mfa: Mfa): ApiResource =>
  createResource(
    [
      implement(MFA_OPERATIONS.getWebauthnCreation, async (visit) => {
        await requireRecent(mfa.account, visit)
        const passwordless = visit.url.searchParams.has('passwordless')
        const options = await mfa.webauthn.creationOptions(visit, requireSignedIn(visit), { passwordless })
        return { kind: 'data', data: { creation_options: options } }
      }),
      implement(MFA_OPERATIONS.addWebauthn, async (visit, given) => {
        await requireRecent(mfa.account, visit)
        const added = await asFormErrors(() => mfa.webauthn.add(visit, requireSignedIn(visit), given))
        return {
          kind: 'data',
          data: webauthnData(added.authenticator),
          meta: { recovery_codes_generated: added.recoveryCodesGenerated },
        }
      }),
      implement(MFA_OPERATIONS.renameWebauthn, async (visit, { id, name }) => {
        const [authenticator] = await ownKeys(mfa, visit, [id])
        if (authenticator === undefined) throw notAChoice(mfa, 'id')
        await requireRecent(mfa.account, visit)
        const renamed = await mfa.webauthn.rename(visit, requireSignedIn(visit), authenticator, name)
        return { kind: 'data', data: webauthnData(renamed) }
      }),
      implement(MFA_OPERATIONS.removeWebauthn, async (visit, { authenticators }) => {
        const keys = await ownKeys(mfa, visit, authenticators)
        if (keys.length < new Set(authenticators).size) throw notAChoice(mfa, 'authenticators')
        await requireRecent(mfa.account, visit)
        await mfa.webauthn.remove(visit, requireSignedIn(visit), keys)
        return { kind: 'data' }
      }),
    ],
    {
      before: (visit, method) =>
        method === 'GET' || method === 'POST' ? conflictWhenUnverified(mfa, visit) : Promise.resolve(null),
    },
  )

async function conflictWhenUnverified(mfa: Mfa, visit: Visit): Promise<ApiAnswer | null> {
  try {
    await requireVerifiedEmail(mfa.account, visit, requireSignedIn(visit))
    return null
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'errors', status: 409, errors: error.errors }
    throw error
  }
}

/** Those of the keys that are the visitor's own. */
async function ownKeys(mfa: Mfa, visit: Visit, ids: readonly number[]): Promise<readonly Authenticator[]> {
  const keys = await mfa.authenticators.ofUser(visit.db, requireSignedIn(visit).id, ['webauthn'])
  return keys.filter(({ id }) => ids.includes(id))
}

const notAChoice = (mfa: Mfa, param: string): InvalidInput =>
  new InvalidInput([mfa.account.adapter.validationError('invalid_choice', { param })])

/** A new credential is checked together with its name: what is wrong with it is said of the whole input. */
export async function asFormErrors<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map(withoutParam))
  }
}

const withoutParam = ({ code, message, values }: InputError): InputError => ({
  code,
  message,
  ...(values === undefined ? {} : { values }),
})
