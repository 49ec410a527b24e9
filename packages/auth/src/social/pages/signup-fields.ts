import type { Account } from '../../account/account.ts'
import { signupFields } from '../../account/signup/fields.ts'
import type { Field } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'

const PASSWORDS: ReadonlySet<string> = new Set(['password1', 'password2'])
const EMAIL: Field = {
  name: 'email',
  label: 'Email address',
  type: 'email',
  required: true,
  autocomplete: 'email',
  inputMode: 'email',
  maxLength: 320,
}

/**
 * Returns the fields of a social sign-up: those of any sign-up, without a password; the address depends on
 * `SOCIALACCOUNT_EMAIL_REQUIRED`. The host's fields follow.
 */
export function socialSignupFields(account: Account, request: Visit): readonly Field[] {
  const { emailRequired } = account.kernel.settings.socialaccount
  const asked = signupFields(account).filter(({ name }) => !PASSWORDS.has(name))
  const own = asked.map((field) =>
    field.name === 'email' || field.name === 'email2' ? { ...field, required: emailRequired } : field,
  )
  const isAsked = asked.some(({ name }) => name === 'email')
  return [...(emailRequired && !isAsked ? [EMAIL] : []), ...own, ...(account.signupForm?.fields(request) ?? [])]
}
