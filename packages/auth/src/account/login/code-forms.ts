import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { Field, FormDefinition } from '../../kernel/forms/form.ts'
import type { Login, LoginOutcome } from '../login.ts'
import { type CodeResult, confirmLoginCode, requestLoginCode } from './code-login.ts'

/** Form `request_login_code`: an address, or a phone where people sign in with phones. */
export const requestCodeForm = (core: Core): FormDefinition<LoginOutcome> => ({
  id: 'request_login_code',
  fields() {
    const { loginMethods } = core.settings.account
    if (!loginMethods.includes('phone')) return [email(true)]
    return loginMethods.length === 1 ? [phone(core, true)] : [email(false), phone(core, false)]
  },
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) =>
    requestLoginCode(core, request, { email: String(values['email'] ?? ''), phone: String(values['phone'] ?? '') }),
})

const email = (required: boolean): Field => ({
  name: 'email',
  label: 'Email address',
  type: 'email',
  required,
  autocomplete: 'email',
  autofocus: true,
  maxLength: 320,
})

const phone = (core: Core, required: boolean): Field =>
  core.adapter.phoneFormField({ required, ...(required ? { autofocus: true } : {}) })

/** Form `confirm_login_code`. A wrong code is an error of the form while tries are left. */
export const confirmCodeForm = (
  core: Core,
  login: Login,
): FormDefinition<Exclude<CodeResult, { readonly kind: 'wrong' }>> => ({
  id: 'confirm_login_code',
  fields: () => [
    {
      name: 'code',
      label: 'Code',
      type: 'text',
      required: true,
      autocomplete: 'one-time-code',
      autofocus: true,
      maxLength: 100,
      ...(core.settings.account.loginByCodeFormat.numeric ? { inputMode: 'numeric' as const } : {}),
    },
  ],
  clean: (_request, values) => Promise.resolve(values),
  async save(request, values) {
    const result = await confirmLoginCode(core, request, login, String(values['code']))
    if (result.kind !== 'wrong') return result
    throw new InvalidInput([core.adapter.validationError('incorrect_code', { param: 'code' })])
  },
})
