import type { Core } from '../../core.ts'
import type { Field, FormDefinition } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { LoginOutcome } from '../login.ts'
import { requestLoginCode } from './code-login.ts'
import { identify, type LoginMethod } from './identify.ts'
import { passwordLogin } from './password-login.ts'

/** Form `login`: an identifier and a password; without passwords at sign-up, a request for a code. */
export const loginForm = (core: Core): FormDefinition<LoginOutcome> => ({
  id: 'login',
  fields: () => [
    loginField(core.settings),
    ...(hasPasswords(core) ? [PASSWORD] : []),
    ...(core.settings.account.sessionRemember === null ? [REMEMBER] : []),
  ],
  clean: (_request, values) => Promise.resolve(values),
  async save(request, values) {
    const given = identify(String(values['login']), core.settings.account.loginMethods)
    const outcome = hasPasswords(core)
      ? await passwordLogin(core, request, { ...given, password: String(values['password']) })
      : await requestLoginCode(core, request, {
          email: given.identifiers.email ?? '',
          phone: given.identifiers.phone ?? '',
          param: 'login',
        })
    remember(core, request, values['remember'] === true)
    return outcome
  },
})

/** Whether people of this site have passwords at all. */
const hasPasswords = (core: Core): boolean =>
  core.settings.account.signupFields.some(({ name }) => name === 'password1')

function remember(core: Core, request: Visit, chosen: boolean): void {
  request.session.persistent = core.settings.account.sessionRemember ?? chosen
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
function loginField({ account, mfa }: Core['settings']): Field {
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
