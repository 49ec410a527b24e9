import type { Core } from '../../core.ts'
import type { Visit } from '../../kernel/visit.ts'
import { type ApiModule, operation } from '../endpoint.ts'
import { supportedProviders } from '../supported-providers.ts'
import { providerData } from './provider-data.ts'

/** What a front end must know of the settings before anybody signs in. */
export const configResources: ApiModule = () => [
  {
    path: 'config',
    tag: 'Configuration',
    access: 'anon',
    operations: {
      GET: operation({
        summary: 'Tells which ways to sign up and sign in there are',
        answers: { 200: 'Config' },
        handle: async ({ core, request }) => ({ kind: 'data', data: await configOf(core, request) }),
      }),
    },
  },
]

async function configOf(core: Core, request: Visit): Promise<object> {
  const { account, socialaccount, mfa, usersessions } = core.settings
  return {
    account: {
      login_methods: account.loginMethods,
      is_open_for_signup: await core.adapter.isOpenForSignup(request),
      email_verification_by_code_enabled: account.emailVerificationByCodeEnabled,
      login_by_code_enabled: account.loginByCodeEnabled,
      password_reset_by_code_enabled: account.passwordResetByCodeEnabled,
      ...oldMethod(account.loginMethods),
    },
    ...(socialaccount.enabled && {
      socialaccount: { providers: (await supportedProviders(core, request)).map(providerData) },
    }),
    ...(mfa.enabled && {
      mfa: { supported_types: mfa.supportedTypes, passkey_login_enabled: mfa.passkeyLoginEnabled },
    }),
    ...(usersessions.enabled && { usersessions: { track_activity: usersessions.trackActivity } }),
  }
}

/** The one word that older clients read in place of `login_methods`; there is none for phones. */
function oldMethod(methods: Core['settings']['account']['loginMethods']): object {
  const words = (['username', 'email'] as const).filter((word) => methods.includes(word))
  return words.length === 0 ? {} : { authentication_method: words.join('_') }
}
