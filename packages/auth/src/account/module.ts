import type { Signals } from '../kernel/signals.ts'
import type { AccountSignals } from './signals.ts'
import { AuthError } from '../errors.ts'
import type { SignupForm } from '../kernel/forms/form.ts'
import type { KernelHooks } from '../kernel/hooks.ts'
import type { ConnectedKernel, Contributions } from '../kernel/module.ts'
import type { LoginFlow } from '../kernel/login.ts'
import type { Account } from './account.ts'
import type { AccountAdapter, AccountAdapterInput } from './adapter.ts'
import { accountApi } from './api-contributions.ts'
import { createAccountAdapter } from './default-adapter.ts'
import type { EmailAddressStore, EmailConfirmationStore, PhoneStore } from './email-address.ts'
import { emailStage } from './email/stage.ts'
import { codeStage } from './login/code-stage.ts'
import { createLoginFlow } from './login/login-flow.ts'
import { accountPages } from './pages.ts'
import { lacksTextSender } from './phone/hooks.ts'
import { phoneStage } from './phone/stage.ts'
import { passwordMethod } from './reauthentication/reauthentication.ts'
import { redirectToReauthentication } from './reauthentication/suspended-post.ts'
import { sqlEmailAddressStore } from './stores/email-address-store.sql.ts'
import { sqlEmailConfirmationStore } from './stores/email-confirmation-store.sql.ts'
import { sqlPhoneStore } from './stores/phone-store.sql.ts'
import { hasVerifiedEmail } from './text-context.ts'
import type { User } from '../kernel/users/user.ts'

/** What a host gives for accounts. */
export interface AccountModuleOptions {
  readonly adapter: AccountAdapterInput | undefined
  readonly signupForm: SignupForm | undefined
}

class AccountServices implements Account {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<AccountSignals>
  readonly adapter: AccountAdapter
  readonly emails: EmailAddressStore
  readonly confirmations: EmailConfirmationStore
  readonly phones: PhoneStore
  readonly login: LoginFlow
  readonly signupForm: SignupForm | null

  constructor(kernel: ConnectedKernel, { adapter, signupForm }: AccountModuleOptions) {
    this.kernel = kernel
    this.signals = kernel.signals.typed()
    this.emails = sqlEmailAddressStore(kernel)
    this.confirmations = sqlEmailConfirmationStore(kernel)
    this.phones = sqlPhoneStore(kernel)
    this.signupForm = signupForm ?? null
    // Both work with the whole account when they are called, not before.
    this.adapter = createAccountAdapter(this, adapter, kernel.log)
    this.login = createLoginFlow(this)
  }
}

/**
 * Creates the accounts of one instance.
 * @throws {AuthError} `settings_invalid` where phones are used and no hook sends their codes
 */
export function createAccount(kernel: ConnectedKernel, options: AccountModuleOptions): Account {
  const account = new AccountServices(kernel, options)
  if (lacksTextSender(account)) {
    const message = 'Phone numbers are used, so the account adapter must have the hook sendVerificationCodeSms.'
    throw new AuthError('settings_invalid', { message })
  }
  return account
}

/** Returns what accounts contribute to the package. */
export const accountContributions = (account: Account): Contributions => ({
  ...accountApi(account),
  pages: accountPages(account),
  loginStages: [codeStage(account), phoneStage(account), emailStage(account)],
  reauthenticationMethods: async (visit, user) => passwordMethod(visit, user),
  templateContext: (visit) => ({
    user_verified: (user: User | null) => (user === null ? false : hasVerifiedEmail(account, visit, user)),
  }),
})

/** Returns what the kernel needs of accounts. */
export const kernelHooks = (account: Account, { adapter, login }: Account = account): KernelHooks => ({
  getClientIp: (request, remoteAddress) => adapter.getClientIp(request, remoteAddress),
  getHttpUserAgent: (request) => adapter.getHttpUserAgent(request),
  isSafeUrl: (visit, url) => adapter.isSafeUrl(visit, url),
  isAjax: (request) => adapter.isAjax(request),
  ajaxResponse: (visit, answer) => adapter.ajaxResponse(visit, answer),
  userDisplay: (user) => adapter.userDisplay(user),
  validationError: (code, options) => adapter.validationError(code, options),
  isRecent: (visit) => login.isRecent(visit),
  demandReauthentication: (visit) => redirectToReauthentication(account, visit),
})
