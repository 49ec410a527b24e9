import type { Account } from './account.ts'
import { AuthError } from '../errors.ts'
import type { FormValues } from '../kernel/forms/form.ts'
import { takeVisitorSlot } from '../kernel/limits/take.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import {
  type AddAddressResult,
  addAddress,
  cleanNewAddress,
  type ListedAddress,
  listAddresses,
  makePrimary,
  removeAddress,
} from './email/management.ts'
import { foldText } from './email/clean-address.ts'
import type { LoginOutcome } from '../kernel/login.ts'
import { type CodeResult, confirmLoginCode, requestLoginCode } from './login/code-login.ts'
import { CODE_STAGE } from './login/code-delivery.ts'
import { identify, passwordLogin } from './login/password-login.ts'
import { checkPasswordChange, storeOwnPassword } from './password/change.ts'
import { requestPasswordReset } from './password/reset-code.ts'
import { requireSignedIn } from './refusals.ts'
import { cleanSignup } from './signup/clean.ts'
import { beginSignup, saveSignup } from './signup/signup-flow.ts'

/**
 * The flows behind the pages, for the host's own forms and APIs. Each takes the visit it belongs to, throws
 * `InvalidInput` for invalid input, and `AuthError` for other errors (`rate_limited`, `login_required`, and so on).
 */
export interface Flows {
  /** @param values Values by sign-up field; `email2` and `password2` may be left out. */
  signup(visit: Visit, values: FormValues): Promise<LoginOutcome>
  /** @param given.login Email address, username, or phone number, as the settings allow. */
  login(visit: Visit, given: { readonly login: string; readonly password: string }): Promise<LoginOutcome>
  logout(visit: Visit): Promise<void>
  requestLoginCode(visit: Visit, given: { readonly email?: string; readonly phone?: string }): Promise<LoginOutcome>
  /** Checks the code of this session's pending login. @throws {AuthError} `flow_wrong_stage` without one */
  confirmLoginCode(visit: Visit, code: string): Promise<CodeResult>
  requestPasswordReset(visit: Visit, email: string): Promise<void>
  /** Changes the password, or sets the first one (`oldPassword` is then ignored). Ends other sessions. */
  changePassword(visit: Visit, given: { readonly oldPassword: string; readonly password: string }): Promise<void>
  addresses(visit: Visit): Promise<readonly ListedAddress[]>
  addAddress(visit: Visit, email: string): Promise<AddAddressResult>
  makePrimary(visit: Visit, email: string): Promise<void>
  removeAddress(visit: Visit, email: string): Promise<void>
}

/** Creates the flows of one instance. They count toward the same rate limits as the pages. */
export function createFlows(account: Account): Flows {
  return {
    async signup(visit, values) {
      await takeFlowLimit(visit, 'signup')
      if (!(await account.adapter.isOpenForSignup(visit))) throw new AuthError('permission_denied')
      return beginSignup(account, visit, await saveSignup(account, visit, await cleanSignup(account, visit, values)))
    },
    async login(visit, { login, password }) {
      await takeFlowLimit(visit, 'login')
      return passwordLogin(account, visit, {
        ...identify(login.trim(), account.kernel.settings.account.loginMethods),
        password,
      })
    },
    logout: (visit) => account.login.logout(visit),
    requestLoginCode: (visit, { email = '', phone = '' }) => requestLoginCode(account, visit, { email, phone }),
    async confirmLoginCode(visit, code) {
      const login = await account.login.at(visit, CODE_STAGE)
      if (login === null) throw new AuthError('flow_wrong_stage')
      return confirmLoginCode(account, visit, login, code)
    },
    async requestPasswordReset(visit, email) {
      await requestPasswordReset(account, visit, email)
    },
    async changePassword(visit, given) {
      const user = requireSignedIn(visit)
      await takeFlowLimit(visit, 'change_password')
      const params = { oldPassword: 'oldpassword', password: 'password1' }
      const password = user.hasUsablePassword
        ? await checkPasswordChange(account, visit, user, { ...given, params })
        : await account.adapter.cleanPassword(visit, given.password, user)
      await storeOwnPassword(account, visit, user, password)
    },
    addresses: (visit) => listAddresses(account, visit, requireSignedIn(visit)),
    async addAddress(visit, email) {
      const user = requireSignedIn(visit)
      await takeFlowLimit(visit, 'manage_email')
      return addAddress(account, visit, user, await cleanNewAddress(account, visit, user, email))
    },
    async makePrimary(visit, email) {
      await makePrimary(account, visit, ...(await requireOwnAddress(account, visit, email)))
    },
    async removeAddress(visit, email) {
      await removeAddress(account, visit, ...(await requireOwnAddress(account, visit, email)))
    },
  }
}

/** Returns the signed-in user and the address `email`. Takes a `manage_email` slot. @throws {AuthError} `not_found` */
async function requireOwnAddress(
  account: Account,
  visit: Visit,
  email: string,
): Promise<readonly [User, ListedAddress]> {
  const user = requireSignedIn(visit)
  await takeFlowLimit(visit, 'manage_email')
  const listed = (await listAddresses(account, visit, user)).find((row) => foldText(row.email) === foldText(email))
  if (listed === undefined) throw new AuthError('not_found')
  return [user, listed]
}

/** Takes a slot of the limit that the flow's page uses. */
const takeFlowLimit = (visit: Visit, action: string): Promise<void> =>
  takeVisitorSlot(visit.kernel.limits, action, visit)
