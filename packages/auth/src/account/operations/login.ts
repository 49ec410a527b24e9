import { AuthError, type InputError, InvalidInput } from '../../errors.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Login } from '../../kernel/login.ts'
import type { InputField } from '../../kernel/operations/declaration.ts'
import {
  countInvalidAttempt,
  loginAnswer,
  createResource,
  implement,
  type ApiResource,
} from '../../kernel/operations/operation.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { withFieldErrors } from '../email/clean-address.ts'
import { CODE_STAGE, findLoginCode } from '../login/code-delivery.ts'
import { canResend, confirmLoginCode, requestLoginCode, resendLoginCode } from '../login/code-login.ts'
import { checkPasswordLogin, type LoginMethod } from '../login/password-login.ts'
import { cleanPhoneNumber } from '../phone/change.ts'
import { reauthenticateByPassword } from '../reauthentication/reauthentication.ts'
import { requireSignedIn } from '../refusals.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'

/** Returns the operation that signs in with a password. */
export const loginResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [resource(account)]

const resource = (account: Account): ApiResource =>
  createResource(
    [
      implement(
        ACCOUNT_OPERATIONS.login,
        async (visit, input) => {
          const begin = await checkLoginInput(account, visit, input)
          if (visit.user !== null) throw new AuthError('flow_wrong_stage')
          return loginAnswer(await begin())
        },
        { fields: () => loginFields(account.kernel) },
      ),
    ],
    { limit: { action: 'login', per: 'ip' } },
  )

/** In the order of the methods themselves, whatever the settings have. */
const METHODS = ACCOUNT_OPERATIONS.login.oneOf satisfies readonly LoginMethod[]

function loginFields({ settings }: Pick<Kernel, 'settings'>): readonly InputField[] {
  const { loginMethods } = settings.account
  const methods = METHODS.filter((method) => loginMethods.includes(method))
  const about = methods.length > 1 ? { about: `One of ${methods.join(', ')}.` } : {}
  return ACCOUNT_OPERATIONS.login.input.flatMap((field): readonly InputField[] => {
    if (field.name === 'password') return [field]
    return methods.includes(field.name) ? [{ ...field, required: methods.length === 1, ...about }] : []
  })
}

type Identifiers = Readonly<Partial<Record<LoginMethod | 'password', string>>>

/** What begins the login. @throws {InvalidInput} */
async function checkLoginInput(
  account: Account,
  visit: Visit,
  input: Identifiers,
): Promise<Awaited<ReturnType<typeof checkPasswordLogin>>> {
  const { password = '' } = input
  const given = METHODS.filter((method) => (input[method] ?? '') !== '')
  const [method] = given
  if (method === undefined || given.length > 1)
    throw new InvalidInput([account.adapter.validationError('invalid_login')])
  const typed = input[method] ?? ''
  const identifier = method === 'phone' ? await cleanPhoneNumber(account, visit, typed) : typed
  try {
    return await checkPasswordLogin(account, visit, { method, identifiers: { [method]: identifier }, password })
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map((one) => moveErrorToPassword(one, method)))
  }
}

/** That the two do not fit is told beside the password. */
const moveErrorToPassword = (error: InputError, method: LoginMethod): InputError =>
  error.code === `${method}_password_mismatch` ? { ...error, param: 'password' } : error

/** Returns the operations on the session. */
export const sessionResources = (account: Account): readonly ApiResource[] => [
  createResource([
    implement(ACCOUNT_OPERATIONS.getSession, async () => ({ kind: 'authentication' })),
    implement(ACCOUNT_OPERATIONS.logout, async (visit) => {
      await account.login.logout(visit)
      return { kind: 'authentication' }
    }),
  ]),
]

/** Returns the operation with which users confirm their identity by password. */
export const reauthenticationResources = (account: Account): readonly ApiResource[] => [
  createResource(
    [
      implement(ACCOUNT_OPERATIONS.reauthenticate, async (visit, { password }) => {
        const user = requireSignedIn(visit)
        await withFieldErrors('password', () => reauthenticateByPassword(account, visit, user, password))
        return { kind: 'authentication' }
      }),
    ],
    { limit: { action: 'reauthenticate', per: 'user' } },
  ),
]

/** Login by a code. One that the settings demand is confirmed here too, so that is always there. */
export const loginCodeResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.account.loginByCodeEnabled
    ? [requestResource(account), confirmResource(account), resendResource(account)]
    : [confirmResource(account)]

/** The login that waits for a code. @throws {AuthError} `flow_wrong_stage` */
async function requirePendingLogin(account: Account, visit: Visit): Promise<Login> {
  const login = visit.user === null ? await account.login.at(visit, CODE_STAGE) : null
  if (login === null || findLoginCode(visit, login) === null) throw new AuthError('flow_wrong_stage')
  return login
}

const requestResource = (account: Account): ApiResource =>
  createResource([
    implement(
      ACCOUNT_OPERATIONS.requestLoginCode,
      async (visit, { email = '', phone = '' }) =>
        loginAnswer(await requestLoginCode(account, visit, { email, phone })),
      { fields: () => requestFields(account.kernel) },
    ),
  ])

/** As on the page: an address, a phone where people sign in with phones, or one of the two. */
function requestFields({ settings }: Pick<Kernel, 'settings'>): readonly InputField[] {
  const { loginMethods } = settings.account
  const hasPhone = loginMethods.includes('phone')
  const hasEmail = !hasPhone || loginMethods.length > 1
  const present = { email: hasEmail, phone: hasPhone }
  return ACCOUNT_OPERATIONS.requestLoginCode.input
    .filter(({ name }) => present[name])
    .map((field) => ({ ...field, required: !(hasEmail && hasPhone) }))
}

const confirmResource = (account: Account): ApiResource =>
  createResource(
    [
      implement(
        ACCOUNT_OPERATIONS.confirmLoginCode,
        async (visit, { code }) => {
          const result = await confirmLoginCode(account, visit, await requirePendingLogin(account, visit), code)
          if (result.kind === 'confirmed') return loginAnswer(result.outcome)
          throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
        },
        {
          invalid: countInvalidAttempt('code', async (visit) =>
            confirmLoginCode(account, visit, await requirePendingLogin(account, visit), ''),
          ),
        },
      ),
    ],
    {
      async before(visit) {
        await requirePendingLogin(account, visit)
        return null
      },
    },
  )

const resendResource = (account: Account): ApiResource =>
  createResource([
    implement(ACCOUNT_OPERATIONS.resendLoginCode, async (visit) => {
      const login = await requirePendingLogin(account, visit)
      const process = findLoginCode(visit, login)
      if (process === null || !canResend(account.kernel, process)) throw new AuthError('flow_wrong_stage')
      await resendLoginCode(account, visit, login)
      return { kind: 'data' }
    }),
  ])
