import type { Account } from '../account.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import { cleanAddress } from '../email/clean-address.ts'
import { withFieldErrors } from '../email/field-errors.ts'
import { readTextField } from '../email/forms.ts'
import { foldText } from '../email/same-text.ts'
import type { EmailVerification } from '../../kernel/login.ts'
import { cleanPhoneNumber } from '../phone/phone.ts'
import { findConflict } from './conflict.ts'
import { prepareHash } from '../password/prepared-hash.ts'

/** Texts of the two rules whose errors have no code. */
const AGAIN_MESSAGES = {
  email2: "The email addresses don't match.",
  password2: "The passwords don't match.",
} as const

interface Options {
  readonly withoutPassword?: boolean
  readonly asked?: readonly { readonly name: string; readonly required: boolean }[]
  readonly emailVerification?: EmailVerification
}

/**
 * Checks all sign-up input at once and hashes the password, so that nothing slow is left for the transaction that
 * stores it. Leaves the values of other fields as they are.
 * @param given Values by sign-up field; missing ones count as empty. Without `email2` and `password2` (JSON) nothing
 *   is compared.
 * @param options.withoutPassword Requires no password, and ignores one that is sent.
 * @param options.asked Fields to require instead of those of the settings.
 * @param options.emailVerification As for `findConflict`.
 * @throws {InvalidInput} with the errors of all fields
 */
export async function cleanSignup(
  account: Account,
  request: Visit,
  given: FormValues,
  { withoutPassword = false, asked: ofCaller, emailVerification }: Options = {},
): Promise<FormValues> {
  const values = withoutPassword ? omitPasswords(given) : given
  const errors: InputError[] = []
  const read = async (name: string, clean: (text: string) => Promise<string>): Promise<string> => {
    const text = readTextField(values, name)
    if (text === '') return ''
    try {
      return await withFieldErrors(name, () => clean(text))
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      errors.push(...error.errors)
      return ''
    }
  }
  const username = await read('username', (text) => account.adapter.cleanUsername(request, text))
  const email = await read('email', async (text) => {
    const address = await cleanAddress(account, request, text)
    return account.kernel.settings.account.uniqueEmail ? account.adapter.validateUniqueEmail(request, address) : address
  })
  const phone = await read('phone', (text) => cleanPhoneNumber(account, request, text))
  const about = {
    username,
    email,
    firstName: readTextField(values, 'first_name'),
    lastName: readTextField(values, 'last_name'),
  }
  const password = await read('password1', (text) => account.adapter.cleanPassword(request, text, about))
  const asked = (ofCaller ?? account.kernel.settings.account.signupFields)
    .filter(({ name }) => !(name in AGAIN_MESSAGES))
    .filter(({ name }) => !(withoutPassword && name === 'password1'))
  const own = account.signupForm?.fields(request) ?? []
  errors.push(...findMissingFields(account, values, [...asked, ...own]), ...checkRepetitions(values))
  const wanted = { email: email || null, phone: phone || null }
  const conflict = await findConflict(account, request, wanted, emailVerification)
  if (conflict.kind === 'refused') errors.push(...conflict.errors)
  if (errors.length > 0) throw new InvalidInput(errors)
  const clean = { ...values, username, email, phone, password1: password }
  const cleaned = (await account.signupForm?.clean?.(request, clean)) ?? clean
  await prepareHash(request, password)
  return cleaned
}

/** Required names that are empty, or not ticked; forms have checked that before, other callers have not. */
const findMissingFields = (
  account: Account,
  values: FormValues,
  fields: readonly { readonly name: string; readonly required: boolean }[],
): readonly InputError[] =>
  fields
    .filter(({ name, required }) => required && values[name] !== true && readTextField(values, name) === '')
    .map(({ name }) => account.adapter.validationError('required', { param: name }))

function checkRepetitions(values: FormValues): readonly InputError[] {
  const isSame = {
    email2: foldText(readTextField(values, 'email')) === foldText(readTextField(values, 'email2')),
    password2: readTextField(values, 'password1') === readTextField(values, 'password2'),
  }
  return (['email2', 'password2'] as const)
    .filter((name) => name in values && !isSame[name])
    .map((name) => ({ code: '', message: AGAIN_MESSAGES[name], param: name }))
}

const omitPasswords = (values: FormValues): FormValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'password1' && name !== 'password2'))
