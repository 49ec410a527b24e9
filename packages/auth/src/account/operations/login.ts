import { AuthError, type InputError, InvalidInput } from '../../errors.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { InputField } from '../../kernel/operations/declaration.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { withFieldErrors } from '../email/field-errors.ts'
import type { LoginMethod } from '../login/identify.ts'
import { checkPasswordLogin } from '../login/password-login.ts'
import { cleanPhoneNumber } from '../phone/phone.ts'
import { reauthenticateByPassword } from '../reauthentication/reauthentication.ts'
import { requireSignedIn } from '../signed-in.ts'
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
