import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import type { Field, FormDefinition, FormValues } from '../../kernel/forms/form.ts'
import { trimPassword } from '../../kernel/passwords/passwords.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { checkPasswordChange, storeOwnPassword } from './change.ts'
import { runChecks, cleanNewPassword } from './new-password.ts'
import { requestPasswordReset, tryResetCode, type PendingReset } from './reset-code.ts'
import { findResetKeyOwner } from './reset-link.ts'

const readPasswordText = (values: FormValues, name: string): string => String(values[name] ?? '')

const NEW_PASSWORD: readonly Field[] = [
  { name: 'password1', label: 'New password', type: 'password', required: true, autocomplete: 'new-password' },
  { name: 'password2', label: 'Confirm new password', type: 'password', required: true, autocomplete: 'new-password' },
]

/** Checks that both passwords are the same. The error has no code. */
async function checkRepeated(values: FormValues): Promise<void> {
  if (trimPassword(readPasswordText(values, 'password1')) === trimPassword(readPasswordText(values, 'password2')))
    return
  throw new InvalidInput([{ code: '', message: "The passwords don't match.", param: 'password2' }])
}

/** Returns the values with `password1` cleaned. @throws {InvalidInput} with all errors of both fields */
async function cleanPair(account: Account, request: Visit, user: User, values: FormValues): Promise<FormValues> {
  let password = readPasswordText(values, 'password1')
  await runChecks(
    async () => {
      password = await cleanNewPassword(account, request, user, { password, param: 'password1' })
    },
    () => checkRepeated(values),
  )
  return { ...values, password1: password }
}

/** Form `change_password` for a signed-in `user` who has a password. */
export const changePasswordForm = (account: Account, user: User): FormDefinition<void> => ({
  id: 'change_password',
  fields: () => [
    {
      name: 'oldpassword',
      label: 'Current password',
      type: 'password',
      required: true,
      autocomplete: 'current-password',
      autofocus: true,
    },
    ...NEW_PASSWORD,
  ],
  async clean(request, values) {
    let password = readPasswordText(values, 'password1')
    await runChecks(
      async () => {
        password = await checkPasswordChange(account, request, user, {
          oldPassword: readPasswordText(values, 'oldpassword'),
          password,
          params: { oldPassword: 'oldpassword', password: 'password1' },
        })
      },
      () => checkRepeated(values),
    )
    return { ...values, password1: password }
  },
  save: (request, values) => storeOwnPassword(account, request, user, readPasswordText(values, 'password1')),
})

/** Form `set_password` for a signed-in `user` who has no password. */
export const setPasswordForm = (account: Account, user: User): FormDefinition<void> => ({
  id: 'set_password',
  fields: () => NEW_PASSWORD,
  clean: (request, values) => cleanPair(account, request, user, values),
  save: (request, values) => storeOwnPassword(account, request, user, readPasswordText(values, 'password1')),
})

/** Form `reset_password`: takes an email address and returns it. */
export const resetPasswordForm = (account: Account): FormDefinition<string> => ({
  id: 'reset_password',
  fields: () => [
    {
      name: 'email',
      label: 'Email address',
      type: 'email',
      required: true,
      autocomplete: 'email',
      autofocus: true,
      maxLength: 320,
    },
  ],
  clean: (_request, values) => Promise.resolve(values),
  async save(request, values) {
    const email = readPasswordText(values, 'email')
    await requestPasswordReset(account, request, email)
    return email
  },
})

/**
 * Form `reset_password_from_key`: a new password for `user`, who was identified by link or code.
 * @param complete Stores the password.
 */
export const newPasswordForm = <R>(
  account: Account,
  user: User,
  complete: (request: Visit, password: string) => Promise<R>,
): FormDefinition<R> => ({
  id: 'reset_password_from_key',
  fields: () => NEW_PASSWORD,
  clean: (request, values) => cleanPair(account, request, user, values),
  save: (request, values) => complete(request, readPasswordText(values, 'password1')),
})

/** Form `user_token`: the two parts of a reset link, `uidb36` and `key`. Returns the user. */
export const userTokenForm = (account: Account): FormDefinition<User> => ({
  id: 'user_token',
  fields: () => [
    { name: 'uidb36', label: '', type: 'hidden', required: true },
    { name: 'key', label: '', type: 'hidden', required: true },
  ],
  clean: (_request, values) => Promise.resolve(values),
  async save(request, values) {
    const owner = await findResetKeyOwner(
      account,
      request,
      `${readPasswordText(values, 'uidb36')}-${readPasswordText(values, 'key')}`,
    )
    if (owner !== null) return owner.user
    throw new InvalidInput([account.adapter.validationError('invalid_password_reset')])
  },
})

/** Form `confirm_password_reset_code`. A wrong code is a form error while attempts are left. */
export const confirmResetCodeForm = (
  account: Account,
  pending: PendingReset,
): FormDefinition<'confirmed' | 'ended'> => ({
  id: 'confirm_password_reset_code',
  fields: () => [
    {
      name: 'code',
      label: 'Code',
      type: 'text',
      required: true,
      autocomplete: 'one-time-code',
      autofocus: true,
      maxLength: 100,
      ...(account.kernel.settings.account.passwordResetByCodeFormat.numeric ? { inputMode: 'numeric' as const } : {}),
    },
  ],
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) => tryResetCode(account, request, pending, readPasswordText(values, 'code')),
})
