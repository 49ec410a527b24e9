import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import { type ApiResource, operationOf } from '../../kernel/operations/operation.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { LoginMethod } from '../login/identify.ts'
import { checkPasswordLogin } from '../login/password-login.ts'
import { cleanPhoneNumber } from '../phone/phone.ts'
import { AuthError, type InputError, InvalidInput } from '../../errors.ts'
import type { InputField } from '../../kernel/operations/input.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'

/** Login by password. */
export const loginResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only
    ? []
    : [
        {
          path: 'auth/login',
          tag: 'Account',
          access: 'anon',
          limit: { action: 'login', per: 'ip' },
          operations: {
            POST: operationOf({
              summary: 'Signs in with a password',
              input: () => fieldsOf(account.kernel),
              answers: { 200: 'Authenticated', 401: 'AuthenticationFlows', 409: 'Status' },
              async handle(visit, input) {
                const begin = await checked(account, visit, input)
                if (visit.user !== null) throw new AuthError('flow_wrong_stage')
                return loginAnswer(await begin())
              },
            }),
          },
        },
      ]

/** In the order of the methods themselves, whatever the settings have. */
const METHODS = ['username', 'email', 'phone'] as const satisfies readonly LoginMethod[]

function fieldsOf({ settings }: Pick<Kernel, 'settings'>): readonly InputField[] {
  const { loginMethods } = settings.account
  const methods = METHODS.filter((method) => loginMethods.includes(method))
  const about = methods.length > 1 ? { about: `One of ${methods.join(', ')}.` } : {}
  return [
    ...methods.map((name) => ({
      name,
      kind: name === 'email' ? ('email' as const) : ('text' as const),
      required: methods.length === 1,
      maxLength: 320,
      ...about,
    })),
    { name: 'password', kind: 'password', required: true },
  ]
}

/** What begins the login. @throws {InvalidInput} */
async function checked(
  account: Account,
  visit: Visit,
  input: Readonly<Record<string, unknown>>,
): Promise<Awaited<ReturnType<typeof checkPasswordLogin>>> {
  const textOf = (name: string): string => {
    const value = input[name]
    return typeof value === 'string' ? value : ''
  }
  const given = METHODS.filter((method) => textOf(method) !== '')
  const [method] = given
  if (method === undefined || given.length > 1)
    throw new InvalidInput([account.adapter.validationError('invalid_login')])
  const typed = textOf(method)
  const identifier = method === 'phone' ? await cleanPhoneNumber(account, visit, typed) : typed
  try {
    const password = textOf('password')
    return await checkPasswordLogin(account, visit, {
      method,
      identifiers: { [method]: identifier },
      password,
    })
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map((one) => besidePassword(one, method)))
  }
}

/** That the two do not fit is told beside the password. */
const besidePassword = (error: InputError, method: LoginMethod): InputError =>
  error.code === `${method}_password_mismatch` ? { ...error, param: 'password' } : error
