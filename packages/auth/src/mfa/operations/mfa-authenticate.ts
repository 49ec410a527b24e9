import type { Mfa } from '../second-factors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { mayConfirmBy } from '../../account/reauthentication/with-method.ts'
import { signedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import { BY_CODE, BY_KEY } from '../reauthentication-methods.ts'
import type { User } from '../../kernel/users/user.ts'
import { type ApiResource, operation } from '../../kernel/operations/operation.ts'
import type { InputField } from '../../kernel/operations/input.ts'
import { goOnAfter, loginAt, stageGuard } from './mfa-stage.ts'
import { ASSERTION } from './webauthn-input.ts'

const TAG = 'Authentication: second factor'
const STAGE = 'mfa_authenticate'

const CODE = {
  name: 'code',
  kind: 'text',
  required: true,
  about: 'A code of the authenticator app, or a recovery code.',
} as const satisfies InputField

/** The second step of a sign-in, and confirming by a second factor that one is still the same. */
export const mfaAuthenticateResources = (mfa: Mfa): readonly ApiResource[] => {
  if (!mfa.kernel.settings.mfa.enabled) return []
  const byKey = mfa.kernel.settings.mfa.supportedTypes.includes('webauthn')
  return [authenticate(mfa), reauthenticate(mfa), ...(byKey ? [authenticateByKey(mfa), reauthenticateByKey(mfa)] : [])]
}

const authenticate = (mfa: Mfa): ApiResource => ({
  path: 'auth/2fa/authenticate',
  tag: TAG,
  access: 'anon',
  before: stageGuard(mfa, STAGE),
  operations: {
    POST: operation({
      summary: 'Go on with a sign-in by a code',
      input: [CODE],
      answers: { 200: 'Authenticated' },
      async handle(visit, { code }) {
        const login = await loginAt(mfa, visit, STAGE)
        return goOnAfter(mfa, visit, login, () =>
          mfa.authenticateByCode(visit, login.user, code, { reauthentication: false, login }),
        )
      },
    }),
  },
})

const reauthenticate = (mfa: Mfa): ApiResource => ({
  path: 'auth/2fa/reauthenticate',
  tag: TAG,
  access: 'auth',
  limit: { action: 'reauthenticate', per: 'user' },
  operations: {
    POST: operation({
      summary: 'Confirm by a code who you are',
      input: [CODE],
      answers: { 200: 'Authenticated' },
      async handle(visit, { code }) {
        await mfa.authenticateByCode(visit, await confirming(mfa, visit, BY_CODE, 'code'), code, {
          reauthentication: true,
        })
        return { kind: 'authentication' }
      },
    }),
  },
})

/** Who confirms so; where they cannot nothing is right. @throws {InvalidInput} `incorrect_code` */
async function confirming(mfa: Mfa, visit: Visit, method: string, param: string): Promise<User> {
  const user = signedIn(visit)
  if (await mayConfirmBy(mfa.account, visit, user, method)) return user
  throw new InvalidInput([mfa.account.adapter.validationError('incorrect_code', { param })])
}

const authenticateByKey = (mfa: Mfa): ApiResource => ({
  path: 'auth/webauthn/authenticate',
  tag: TAG,
  access: 'anon',
  before: stageGuard(mfa, STAGE),
  operations: {
    GET: operation({
      summary: 'Options to go on with a sign-in by a security key',
      answers: { 200: 'RequestOptions', 401: 'AuthenticationFlows' },
      async handle(visit) {
        const { user } = await loginAt(mfa, visit, STAGE)
        return { kind: 'data', data: { request_options: await mfa.webauthn.requestOptions(visit, user) } }
      },
    }),
    POST: operation({
      summary: 'Go on with a sign-in by a security key',
      input: ASSERTION,
      answers: { 200: 'Authenticated' },
      async handle(visit, { credential }) {
        const login = await loginAt(mfa, visit, STAGE)
        return goOnAfter(mfa, visit, login, () =>
          mfa.webauthn.authenticate(visit, login.user, credential, { reauthentication: false, login }),
        )
      },
    }),
  },
})

const reauthenticateByKey = (mfa: Mfa): ApiResource => ({
  path: 'auth/webauthn/reauthenticate',
  tag: TAG,
  access: 'auth',
  limit: { action: 'reauthenticate', per: 'user' },
  operations: {
    GET: operation({
      summary: 'Options to confirm by a security key who you are',
      answers: { 200: 'RequestOptions' },
      async handle(visit) {
        const options = await mfa.webauthn.requestOptions(visit, signedIn(visit))
        return { kind: 'data', data: { request_options: options } }
      },
    }),
    POST: operation({
      summary: 'Confirm by a security key who you are',
      input: ASSERTION,
      answers: { 200: 'Authenticated' },
      async handle(visit, { credential }) {
        await mfa.webauthn.authenticate(visit, await confirming(mfa, visit, BY_KEY, 'credential'), credential, {
          reauthentication: true,
        })
        return { kind: 'authentication' }
      },
    }),
  },
})
