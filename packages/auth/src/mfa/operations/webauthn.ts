import { signupInput } from '../../account/operations/signup.ts'
import { requireRecent, requireSignedIn } from '../../account/refusals.ts'
import { checkSignup, cleanSignup } from '../../account/signup/clean.ts'
import { AuthError, type InputError, InvalidInput } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import {
  type ApiAnswer,
  type ApiResource,
  createResource,
  implement,
  loginAnswer,
  reportOtherErrors,
} from '../../kernel/operations/operation.ts'
import type { Visit } from '../../kernel/visit.ts'
import { requireVerifiedEmail } from '../changes.ts'
import type { Authenticator } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { webauthnData } from './authenticators.ts'
import { requireStageLogin, resumeLoginAfter } from './mfa-authenticate.ts'
import { MFA_OPERATIONS } from './table.ts'

/** Returns the operations on the user's security keys and passkeys. */
export const webauthnResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.supportedTypes.includes('webauthn')
    ? [webauthnResource(mfa)]
    : []

const webauthnResource = (mfa: Mfa): ApiResource =>
  createResource(
    [
      implement(MFA_OPERATIONS.getWebauthnCreation, async (visit) => {
        await requireRecent(mfa.account, visit)
        const passwordless = visit.url.searchParams.has('passwordless')
        const options = await mfa.webauthn.creationOptions(visit, requireSignedIn(visit), { passwordless })
        return { kind: 'data', data: { creation_options: options } }
      }),
      implement(MFA_OPERATIONS.addWebauthn, async (visit, input) => {
        await requireRecent(mfa.account, visit)
        const added = await withoutErrorFields(() => mfa.webauthn.add(visit, requireSignedIn(visit), input))
        return {
          kind: 'data',
          data: webauthnData(added.authenticator),
          meta: { recovery_codes_generated: added.recoveryCodesGenerated },
        }
      }),
      implement(MFA_OPERATIONS.renameWebauthn, async (visit, { id, name }) => {
        const [authenticator] = await findOwnKeys(mfa, visit, [id])
        if (authenticator === undefined) throw toInvalidChoice(mfa, 'id')
        await requireRecent(mfa.account, visit)
        const renamed = await mfa.webauthn.rename(visit, requireSignedIn(visit), authenticator, name)
        return { kind: 'data', data: webauthnData(renamed) }
      }),
      implement(MFA_OPERATIONS.removeWebauthn, async (visit, { authenticators }) => {
        const keys = await findOwnKeys(mfa, visit, authenticators)
        if (keys.length < new Set(authenticators).size) throw toInvalidChoice(mfa, 'authenticators')
        await mfa.webauthn.remove(visit, requireSignedIn(visit), keys)
        return { kind: 'data' }
      }),
    ],
    {
      async before(visit, method) {
        if (method === 'DELETE') await requireRecent(mfa.account, visit)
        return method === 'GET' || method === 'POST' ? conflictWhenUnverified(mfa, visit) : null
      },
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

/** Returns those of the keys that the user has. */
async function findOwnKeys(mfa: Mfa, visit: Visit, ids: readonly number[]): Promise<readonly Authenticator[]> {
  const keys = await mfa.authenticators.ofUser(visit.db, requireSignedIn(visit).id, ['webauthn'])
  return keys.filter(({ id }) => ids.includes(id))
}

const toInvalidChoice = (mfa: Mfa, param: string): InvalidInput =>
  new InvalidInput([mfa.account.adapter.validationError('invalid_choice', { param })])

/** Runs `work`, and removes the field from its errors: they're about the credential and its name together. */
async function withoutErrorFields<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map(withoutField))
  }
}

const withoutField = ({ code, message, values }: InputError): InputError => ({
  code,
  message,
  ...(values === undefined ? {} : { values }),
})

/** Returns the operations that sign in with a passkey alone. */
export const webauthnLoginResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.passkeyLoginEnabled ? [webauthnLoginResource(mfa)] : []

const webauthnLoginResource = (mfa: Mfa): ApiResource =>
  createResource([
    implement(MFA_OPERATIONS.getWebauthnLogin, async (visit) => ({
      kind: 'data',
      data: { request_options: await mfa.webauthn.requestOptions(visit, null) },
    })),
    implement(MFA_OPERATIONS.loginByWebauthn, async (visit, { credential }) =>
      loginAnswer(await mfa.webauthn.login(visit, credential)),
    ),
  ])

const STAGE = 'mfa_signup_webauthn'

/** Returns the operations that sign up with a passkey instead of a password. */
export const webauthnSignupResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.passkeySignupEnabled ? [webauthnSignupResource(mfa)] : []

const webauthnSignupResource = (mfa: Mfa): ApiResource =>
  createResource(
    [
      implement(
        MFA_OPERATIONS.signupByPasskey,
        (visit, input) => beginSignup(mfa, visit, input as FormValues), // only texts and booleans, by `signupInput`
        {
          fields: (visit) => signupInput(mfa.account, visit, { password: false }),
          invalid: reportOtherErrors(
            (visit, input) => checkSignup(mfa.account, visit, input as FormValues, { withoutPassword: true }), // as above
          ),
        },
      ),
      implement(MFA_OPERATIONS.getPasskeySignup, async (visit) => {
        const { user } = await requireStageLogin(mfa, visit, STAGE)
        return { kind: 'data', data: { creation_options: await mfa.webauthn.signupOptions(visit, user) } }
      }),
      implement(MFA_OPERATIONS.completePasskeySignup, async (visit, input) => {
        const login = await requireStageLogin(mfa, visit, STAGE)
        return resumeLoginAfter(mfa, visit, login, () =>
          withoutErrorFields(() => mfa.webauthn.completeSignup(visit, login.user, input)),
        )
      }),
    ],
    {
      limit: { action: 'signup', per: 'ip', alsoGet: true },
      before: (visit, method) => requirePendingSignup(mfa, visit, method),
    },
  )

/** Requires a pending sign-up, which a signed-in user doesn't have. @throws {AuthError} `flow_wrong_stage` */
async function requirePendingSignup(mfa: Mfa, visit: Visit, method: string): Promise<null> {
  if (method !== 'GET' && method !== 'PUT') return null
  const isPending = visit.user === null && (await mfa.account.login.at(visit, STAGE)) !== null
  if (!isPending) throw new AuthError('flow_wrong_stage')
  return null
}

/** Starts a sign-up. Invalid input is reported even if sign-up is closed or the visitor is signed in. */
async function beginSignup(mfa: Mfa, visit: Visit, values: FormValues): Promise<ApiAnswer> {
  const isOpen = visit.user === null && (await mfa.account.adapter.isOpenForSignup(visit))
  if (isOpen) return loginAnswer(await mfa.webauthn.beginSignup(visit, values))
  await cleanSignup(mfa.account, visit, values, { withoutPassword: true })
  throw new AuthError(visit.user === null ? 'permission_denied' : 'flow_wrong_stage')
}
