import type { Contributions } from '../kernel/module.ts'
import type { AuthSettings } from '../kernel/settings/settings.ts'
import type { Account } from './account.ts'
import { pendingReset } from './password/reset-code.ts'
import { BY_PASSWORD } from './reauthentication/reauthentication.ts'

type ApiContributions = Pick<
  Contributions,
  'operations' | 'apiConfig' | 'entranceFlows' | 'reauthenticationFlows' | 'closingFlows'
>

/** Returns what accounts contribute to the JSON API. */
export function accountApi(account: Account): ApiContributions {
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
