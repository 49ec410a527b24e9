import type { Account } from '../account.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { AuthSettings } from '../../kernel/settings/settings.ts'
import type { Field, FormDefinition } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import { requestLoginCode } from './code-login.ts'
import { identify, type LoginMethod } from './identify.ts'
import { passwordLogin } from './password-login.ts'

/** Form `login`: an identifier and a password; without passwords at sign-up, a request for a code. */
export const loginForm = (account: Account): FormDefinition<LoginOutcome> => ({
  id: 'login',
  fields: () => [
    loginField(account.kernel.settings),
    ...(hasPasswords(account.kernel) ? [PASSWORD] : []),
    ...(account.kernel.settings.account.sessionRemember === null ? [REMEMBER] : []),
  ],
  clean: (_request, values) => Promise.resolve(values),
  async save(request, values) {
    const given = identify(String(values['login']), account.kernel.settings.account.loginMethods)
    const outcome = hasPasswords(account.kernel)
      ? await passwordLogin(account, request, { ...given, password: String(values['password']) })
      : await requestLoginCode(account, request, {
          email: given.identifiers.email ?? '',
          phone: given.identifiers.phone ?? '',
          param: 'login',
        })
    remember(request, values['remember'] === true)
    return outcome
  },
})

/** Whether people of this site have passwords at all. */
const hasPasswords = (kernel: Kernel): boolean =>
  kernel.settings.account.signupFields.some(({ name }) => name === 'password1')

function remember(request: Visit, chosen: boolean): void {
  request.session.persistent = request.kernel.settings.account.sessionRemember ?? chosen
}

const PASSWORD: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  required: true,
  autocomplete: 'current-password',
}
const REMEMBER: Field = { name: 'remember', label: 'Keep me signed in', type: 'checkbox', required: false }

const LABEL_MESSAGES: Readonly<Record<string, string>> = {
  username: 'Username',
  email: 'Email address',
  phone: 'Phone number',
  'email,username': 'Username or email address',
  'phone,username': 'Username or phone number',
  'email,phone': 'Email address or phone number',
  'email,phone,username': 'Username, email address, or phone number',
}

/** Its type is that of the only method: a browser refuses what is no address only where nothing else can be meant. */
function loginField({ account, mfa }: AuthSettings): Field {
  const methods: readonly LoginMethod[] = account.loginMethods
  const only = methods.length === 1 ? methods[0] : undefined
  const label = LABEL_MESSAGES[methods.toSorted().join(',')] ?? 'Username'
  const base = { name: 'login', label, required: true, autofocus: true, maxLength: 320 }
  // Browsers then offer passkeys where they offer names. @see W3C, "Web Authentication" Level 3, 5.1.4
  const filled = (token: string): string => (mfa.enabled && mfa.passkeyLoginEnabled ? `${token} webauthn` : token)
  if (only === 'email') return { ...base, type: 'email', autocomplete: filled('email') }
  if (only === 'phone') return { ...base, type: 'tel', autocomplete: filled('tel') }
  return { ...base, type: 'text', autocomplete: filled('username') }
}
