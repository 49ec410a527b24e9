import { AuthError } from '../errors.ts'
import type { SignupForm } from '../kernel/forms/form.ts'
import type { KernelHooks } from '../kernel/hooks.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import type { LoginFlow } from '../kernel/login.ts'
import type { ConnectedKernel, Contributions } from '../kernel/module.ts'
import type { AuthSettings } from '../kernel/settings/settings.ts'
import type { Signals } from '../kernel/signals.ts'
import type { User } from '../kernel/users/user.ts'
import type { Account, AccountSignals } from './account.ts'
import type { AccountAdapter, AccountAdapterInput } from './adapter.ts'
import { createAccountAdapter, hasVerifiedEmail } from './default-adapter.ts'
import type { EmailAddressStore, EmailConfirmationStore, PhoneStore } from './email-address.ts'
import { emailPages } from './email/pages.ts'
import { emailStage } from './email/stage.ts'
import { codeStage } from './login/code-stage.ts'
import { createLoginFlow } from './login/login-flow.ts'
import { loginPages } from './login/pages.ts'
import { logoutPages } from './logout/pages.ts'
import { passwordPages } from './password/pages.ts'
import { pendingReset } from './password/reset-code.ts'
import { lacksTextSender } from './phone/hooks.ts'
import { phonePages } from './phone/pages.ts'
import { phoneStage } from './phone/stage.ts'
import { reauthenticationPages } from './reauthentication/pages.ts'
import { BY_PASSWORD, passwordMethod, redirectToReauthentication } from './reauthentication/reauthentication.ts'
import { signupPages } from './signup/pages.ts'
import { sqlEmailAddressStore, sqlEmailConfirmationStore, sqlPhoneStore } from './contact-stores.sql.ts'

/** Options that the host passes. */
interface AccountModuleOptions {
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
    // Both use the other services, but only when called.
    this.adapter = createAccountAdapter(this, adapter, kernel.log)
    this.login = createLoginFlow(this)
  }
}

/**
 * Creates the accounts of one instance.
 * @throws {AuthError} `settings_invalid` if phone numbers are used but no hook sends their codes
 */
export function createAccount(kernel: ConnectedKernel, options: AccountModuleOptions): Account {
  const account = new AccountServices(kernel, options)
  if (lacksTextSender(account)) {
    const message = 'Phone numbers are used, so the account adapter must have the hook sendVerificationCodeSms.'
    throw new AuthError('settings_invalid', { message })
  }
  return account
}

/** Returns the contributions of the account module. */
export const accountContributions = (account: Account): Contributions => ({
  ...accountApi(account),
  pages: accountPages(account),
  loginStages: [codeStage(account), phoneStage(account), emailStage(account)],
  reauthenticationMethods: async (visit, user) => passwordMethod(visit, user),
  templateContext: (visit) => ({
    user_verified: (user: User | null) => (user === null ? false : hasVerifiedEmail(account, visit, user)),
  }),
})

/** Returns the hooks that the kernel calls. */
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

type ApiContributions = Pick<
  Contributions,
  'operations' | 'apiConfig' | 'entranceFlows' | 'reauthenticationFlows' | 'closingFlows'
>

/** Returns the account module's contributions to the JSON API. */
function accountApi(account: Account): ApiContributions {
  const { account: settings, socialaccount } = account.kernel.settings
  return {
    operations: async () => (await import('./operations/all.ts')).accountResources(account),
    apiConfig: async (visit) => ({
      account: {
        login_methods: settings.loginMethods,
        is_open_for_signup: await account.adapter.isOpenForSignup(visit),
        email_verification_by_code_enabled: settings.emailVerificationByCodeEnabled,
        login_by_code_enabled: settings.loginByCodeEnabled,
        password_reset_by_code_enabled: settings.passwordResetByCodeEnabled,
        ...legacyMethod(settings.loginMethods),
      },
    }),
    async entranceFlows(visit) {
      const isOpen = !socialaccount.only && (await account.adapter.isOpenForSignup(visit))
      return [
        ...(socialaccount.only ? [] : [{ id: 'login' }]),
        ...(settings.loginByCodeEnabled ? [{ id: 'login_by_code' }] : []),
        ...(isOpen ? [{ id: 'signup' }] : []),
      ]
    },
    reauthenticationFlows: async (_visit, _user, offered) =>
      offered.includes(BY_PASSWORD) ? [{ id: BY_PASSWORD }] : [],
    closingFlows: (visit) =>
      socialaccount.only || !settings.passwordResetByCodeEnabled
        ? []
        : [{ id: 'password_reset_by_code', is_pending: pendingReset(visit) !== null }],
  }
}

/** Returns the single value that older clients read instead of `login_methods`; phones have none. */
function legacyMethod(methods: AuthSettings['account']['loginMethods']): object {
  const words = (['username', 'email'] as const).filter((word) => methods.includes(word))
  return words.length === 0 ? {} : { authentication_method: words.join('_') }
}

/** Returns the account pages that the settings enable. */
const accountPages = (account: Account): readonly PageRoute[] =>
  [loginPages, logoutPages, signupPages, reauthenticationPages, emailPages, phonePages, passwordPages].flatMap(
    (pages) => pages(account),
  )
