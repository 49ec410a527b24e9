import type { Account } from '../account.ts'
import type { Field, FormDefinition, FormValues } from '../../kernel/forms/form.ts'
import type { User } from '../../kernel/users/user.ts'
import { changeEmailAtStage } from './stage.ts'
import { type EmailCodeTried, type PendingEmailCode, tryEmailCode } from './code-verification.ts'
import { type AddAddressResult, addAddress, cleanNewAddress } from './management.ts'

/** Returns the text of a form field, or an empty string. */
export function readTextField(values: FormValues, name: string): string {
  const value = values[name]
  return typeof value === 'string' ? value : ''
}

/** Field for a code that was sent. */
export const CODE_FIELD: Field = {
  name: 'code',
  label: 'Code',
  type: 'text',
  required: true,
  autocomplete: 'one-time-code',
  autofocus: true,
  maxLength: 100,
}

const EMAIL_FIELD: Field = {
  name: 'email',
  label: 'Email address',
  type: 'email',
  required: true,
  autocomplete: 'email',
  inputMode: 'email',
  maxLength: 320,
}

/** Form `add_email`: adds an address for the user. */
export const addEmailForm = (account: Account, user: User): FormDefinition<AddAddressResult> => ({
  id: 'add_email',
  fields: () => [EMAIL_FIELD],
  clean: async (request, values) => ({
    ...values,
    email: await cleanNewAddress(account, request, user, readTextField(values, 'email')),
  }),
  save: (request, values) => addAddress(account, request, user, readTextField(values, 'email')),
})

/** Form `confirm_email_verification_code`: takes the mailed code. */
export const emailCodeForm = (account: Account, pending: PendingEmailCode): FormDefinition<EmailCodeTried> => ({
  id: 'confirm_email_verification_code',
  fields: () => [CODE_FIELD],
  clean: async (_request, values) => values,
  save: (request, values) => tryEmailCode(account, request, pending, readTextField(values, 'code')),
})

/** Form `change_email`: changes the address of a login waiting for its code. */
export const changeEmailForm = (account: Account, pending: PendingEmailCode): FormDefinition<boolean> => ({
  id: 'change_email',
  fields: () => [EMAIL_FIELD],
  clean: async (_request, values) => values,
  save: (request, values) => changeEmailAtStage(account, request, pending, readTextField(values, 'email')),
})
