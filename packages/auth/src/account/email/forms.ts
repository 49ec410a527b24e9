import type { Account } from '../account.ts'
import type { Field, FormDefinition, FormValues } from '../../kernel/forms/form.ts'
import type { User } from '../../kernel/users/user.ts'
import { changeEmailAtStage } from './stage.ts'
import { type EmailCodeTried, type PendingEmailCode, tryEmailCode } from './code-verification.ts'
import { type Added, addAddress, cleanNewAddress } from './management.ts'

/** Text of a field of the form. */
export function readTextField(values: FormValues, name: string): string {
  const value = values[name]
  return typeof value === 'string' ? value : ''
}

/** The field of a code that was sent. */
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

/** Adds an address to those of the user. */
export const addEmailForm = (account: Account, user: User): FormDefinition<Added> => ({
  id: 'add_email',
  fields: () => [EMAIL_FIELD],
  clean: async (request, values) => ({
    ...values,
    email: await cleanNewAddress(account, request, user, readTextField(values, 'email')),
  }),
  save: (request, values) => addAddress(account, request, user, readTextField(values, 'email')),
})

/** Takes the code that was mailed. */
export const emailCodeForm = (account: Account, pending: PendingEmailCode): FormDefinition<EmailCodeTried> => ({
  id: 'confirm_email_verification_code',
  fields: () => [CODE_FIELD],
  clean: async (_request, values) => values,
  save: (request, values) => tryEmailCode(account, request, pending, readTextField(values, 'code')),
})

/** Takes another address for a login that waits. */
export const changeEmailForm = (account: Account, pending: PendingEmailCode): FormDefinition<boolean> => ({
  id: 'change_email',
  fields: () => [EMAIL_FIELD],
  clean: async (_request, values) => values,
  save: (request, values) => changeEmailAtStage(account, request, pending, readTextField(values, 'email')),
})
