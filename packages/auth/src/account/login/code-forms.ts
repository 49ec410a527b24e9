import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import type { Field, FormDefinition } from '../../kernel/forms/form.ts'
import type { Login, LoginOutcome } from '../../kernel/login.ts'
import { type CodeResult, confirmLoginCode, requestLoginCode } from './code-login.ts'

/** Form `request_login_code`: an address, or a phone where people sign in with phones. */
export const requestCodeForm = (account: Account): FormDefinition<LoginOutcome> => ({
  id: 'request_login_code',
  fields() {
    const { loginMethods } = account.kernel.settings.account
    if (!loginMethods.includes('phone')) return [email(true)]
    return loginMethods.length === 1 ? [phone(account, true)] : [email(false), phone(account, false)]
  },
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) =>
    requestLoginCode(account, request, { email: String(values['email'] ?? ''), phone: String(values['phone'] ?? '') }),
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

const phone = (account: Account, required: boolean): Field =>
  account.adapter.phoneFormField({ required, ...(required ? { autofocus: true } : {}) })

/** Form `confirm_login_code`. A wrong code is an error of the form while tries are left. */
export const confirmCodeForm = (
  account: Account,
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
      ...(account.kernel.settings.account.loginByCodeFormat.numeric ? { inputMode: 'numeric' as const } : {}),
    },
  ],
  clean: (_request, values) => Promise.resolve(values),
  async save(request, values) {
    const result = await confirmLoginCode(account, request, login, String(values['code']))
    if (result.kind !== 'wrong') return result
    throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
  },
})
