import { mayConfirmBy } from '../../account/reauthentication/with-method.ts'
import { signedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import { BY_CODE, BY_KEY } from '../../mfa/reauthentication-methods.ts'
import type { User } from '../../kernel/users/user.ts'
import { type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'
import type { InputField } from '../input.ts'
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
export const mfaAuthenticateResources: ApiModule = ({ settings: { mfa } }) => {
  if (!mfa.enabled) return []
  const byKey = mfa.supportedTypes.includes('webauthn')
  return [authenticate, reauthenticate, ...(byKey ? [authenticateByKey, reauthenticateByKey] : [])]
}

const authenticate: ApiResource = {
  path: 'auth/2fa/authenticate',
  tag: TAG,
  access: 'anon',
  before: stageGuard(STAGE),
  operations: {
    POST: operation({
      summary: 'Go on with a sign-in by a code',
      input: [CODE],
      answers: { 200: 'Authenticated' },
      async handle(call, { code }) {
        const { core, request } = call
        const login = await loginAt(call, STAGE)
        return goOnAfter(call, login, () =>
          core.mfa.authenticateByCode(request, login.user, code, { reauthentication: false, login }),
        )
      },
    }),
  },
}

const reauthenticate: ApiResource = {
  path: 'auth/2fa/reauthenticate',
  tag: TAG,
  access: 'auth',
  limit: { action: 'reauthenticate', per: 'user' },
  operations: {
    POST: operation({
      summary: 'Confirm by a code who you are',
      input: [CODE],
      answers: { 200: 'Authenticated' },
      async handle(call, { code }) {
        const { core, request } = call
        await core.mfa.authenticateByCode(request, await confirming(call, BY_CODE, 'code'), code, {
          reauthentication: true,
        })
        return { kind: 'authentication' }
      },
    }),
  },
}

/** Who confirms so; where they cannot nothing is right. @throws {InvalidInput} `incorrect_code` */
async function confirming({ core, request }: ApiCall, method: string, param: string): Promise<User> {
  const user = signedIn(request)
  if (await mayConfirmBy(core, request, user, method)) return user
  throw new InvalidInput([core.adapter.validationError('incorrect_code', { param })])
}

const authenticateByKey: ApiResource = {
  path: 'auth/webauthn/authenticate',
  tag: TAG,
  access: 'anon',
  before: stageGuard(STAGE),
  operations: {
    GET: operation({
      summary: 'Options to go on with a sign-in by a security key',
      answers: { 200: 'RequestOptions', 401: 'AuthenticationFlows' },
      async handle(call) {
        const { core, request } = call
        const { user } = await loginAt(call, STAGE)
        return { kind: 'data', data: { request_options: await core.mfa.webauthn.requestOptions(request, user) } }
      },
    }),
    POST: operation({
      summary: 'Go on with a sign-in by a security key',
      input: ASSERTION,
      answers: { 200: 'Authenticated' },
      async handle(call, { credential }) {
        const { core, request } = call
        const login = await loginAt(call, STAGE)
        return goOnAfter(call, login, () =>
          core.mfa.webauthn.authenticate(request, login.user, credential, { reauthentication: false, login }),
        )
      },
    }),
  },
}

const reauthenticateByKey: ApiResource = {
  path: 'auth/webauthn/reauthenticate',
  tag: TAG,
  access: 'auth',
  limit: { action: 'reauthenticate', per: 'user' },
  operations: {
    GET: operation({
      summary: 'Options to confirm by a security key who you are',
      answers: { 200: 'RequestOptions' },
      async handle({ core, request }) {
        const options = await core.mfa.webauthn.requestOptions(request, signedIn(request))
        return { kind: 'data', data: { request_options: options } }
      },
    }),
    POST: operation({
      summary: 'Confirm by a security key who you are',
      input: ASSERTION,
      answers: { 200: 'Authenticated' },
      async handle(call, { credential }) {
        const { core, request } = call
        await core.mfa.webauthn.authenticate(request, await confirming(call, BY_KEY, 'credential'), credential, {
          reauthentication: true,
        })
        return { kind: 'authentication' }
      },
    }),
  },
}
