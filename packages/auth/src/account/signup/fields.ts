import type { Core } from '../../core.ts'
import type { Field } from '../../forms/form.ts'
import type { SignupFieldName } from '../../settings/signup-fields.ts'

type Look = Omit<Field, 'name' | 'required'>

/** How each of the package's own fields looks. */
const LOOKS: Readonly<Record<Exclude<SignupFieldName, 'phone'>, Look>> = {
  username: { label: 'User name', type: 'text', autocomplete: 'username', maxLength: 150 },
  email: { label: 'E-mail address', type: 'email', autocomplete: 'email', inputMode: 'email', maxLength: 320 },
  email2: {
    label: 'E-mail address (again)',
    type: 'email',
    autocomplete: 'email',
    inputMode: 'email',
    maxLength: 320,
  },
  password1: { label: 'Password', type: 'password', autocomplete: 'new-password' },
  password2: { label: 'Password (again)', type: 'password', autocomplete: 'new-password' },
}

/**
 * The fields of the sign-up form that the settings ask for, in their order.
 * @param also A field that is asked for in any case.
 */
export function signupFields(core: Core, also?: 'email'): readonly Field[] {
  const listed = core.settings.account.signupFields
  const isListed = also === undefined || listed.some(({ name }) => name === also)
  return [...(isListed ? [] : [{ name: also, required: false }]), ...listed].map(({ name, required }, at) => {
    const asked = { name, required, ...(at === 0 ? { autofocus: true } : {}) }
    return name === 'phone' ? core.adapter.phoneFormField(asked) : { ...LOOKS[name], ...asked }
  })
}
