import type { Account } from '../account.ts'
import type { Field } from '../../kernel/forms/form.ts'
import type { SignupFieldName } from '../../kernel/settings/signup-fields.ts'

type Look = Omit<Field, 'name' | 'required'>

/** How each of the package's own fields looks. */
const LOOKS: Readonly<Record<Exclude<SignupFieldName, 'phone'>, Look>> = {
  username: { label: 'Username', type: 'text', autocomplete: 'username', maxLength: 150 },
  email: { label: 'Email address', type: 'email', autocomplete: 'email', inputMode: 'email', maxLength: 320 },
  email2: {
    label: 'Confirm email address',
    type: 'email',
    autocomplete: 'email',
    inputMode: 'email',
    maxLength: 320,
  },
  password1: { label: 'Password', type: 'password', autocomplete: 'new-password' },
  password2: { label: 'Confirm password', type: 'password', autocomplete: 'new-password' },
}

/** The fields of the sign-up form that the settings ask for, in their order. */
export function signupFields(account: Account): readonly Field[] {
  return account.kernel.settings.account.signupFields.map(({ name, required }, at) => {
    const asked = { name, required, ...(at === 0 ? { autofocus: true } : {}) }
    return name === 'phone' ? account.adapter.phoneFormField(asked) : { ...LOOKS[name], ...asked }
  })
}
