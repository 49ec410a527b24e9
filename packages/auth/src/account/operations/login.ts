import { AuthError, type InputError, InvalidInput } from '../../errors.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Login } from '../../kernel/login.ts'
import type { InputField } from '../../kernel/operations/declaration.ts'
import { type ApiResource, createResource, implement, loginAnswer } from '../../kernel/operations/operation.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { withFieldErrors } from '../email/clean-address.ts'
import { CODE_STAGE, findLoginCode } from '../login/code-delivery.ts'
import { confirmLoginCode, requestLoginCode, resendLoginCode } from '../login/code-login.ts'
import { checkPasswordLogin, type LoginMethod } from '../login/password-login.ts'
import { cleanPhoneNumber } from '../phone/change.ts'
import { reauthenticateByPassword } from '../reauthentication/reauthentication.ts'
import { requireSignedIn } from '../refusals.ts'
import { checkResource, resendResource, type SentCode } from './codes.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'

/** Returns the operation that signs in with a password. */
export const loginResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [loginResource(account)]

const loginResource = (account: Account): ApiResource =>
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

/** The order of errors and fields; the order in the settings doesn't matter. */
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

/** Checks the input. Returns a function that starts the login. @throws {InvalidInput} */
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

/** Reports a mismatch of identifier and password as an error of the password. */
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

/**
 * Returns the operations that sign in by code. The one that confirms a code is always there, because the settings can
 * require a code after another first step.
 */
export const loginCodeResources = (account: Account): readonly ApiResource[] => {
  const sent = sentLoginCode(account)
  const confirm = checkResource(account, ACCOUNT_OPERATIONS.confirmLoginCode, sent)
  return account.kernel.settings.account.loginByCodeEnabled
    ? [requestResource(account), confirm, resendResource(ACCOUNT_OPERATIONS.resendLoginCode, sent)]
    : [confirm]
}

const sentLoginCode = (account: Account): SentCode<Login> => ({
  async requirePending(visit) {
    const login = visit.user === null ? await account.login.at(visit, CODE_STAGE) : null
    if (login === null || findLoginCode(visit, login) === null) throw new AuthError('flow_wrong_stage')
    return login
  },
  async check(visit, login, code) {
    const result = await confirmLoginCode(account, visit, login, code)
    return result.kind === 'confirmed' ? loginAnswer(result.outcome) : null
  },
  resend: (visit, login) => resendLoginCode(account, visit, login),
})

const requestResource = (account: Account): ApiResource =>
  createResource([
    implement(
      ACCOUNT_OPERATIONS.requestLoginCode,
      async (visit, { email = '', phone = '' }) =>
        loginAnswer(await requestLoginCode(account, visit, { email, phone })),
      { fields: () => requestFields(account.kernel) },
    ),
  ])

/** Returns the same fields as the page: an email address, a phone number, or one of the two. */
function requestFields({ settings }: Pick<Kernel, 'settings'>): readonly InputField[] {
  const { loginMethods } = settings.account
  const hasPhone = loginMethods.includes('phone')
  const hasEmail = !hasPhone || loginMethods.length > 1
  const present = { email: hasEmail, phone: hasPhone }
  return ACCOUNT_OPERATIONS.requestLoginCode.input
    .filter(({ name }) => present[name])
    .map((field) => ({ ...field, required: !(hasEmail && hasPhone) }))
}
