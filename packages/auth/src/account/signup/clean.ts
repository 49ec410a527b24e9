import { type InputError, InvalidInput } from '../../errors.ts'
import type { FormValues, Field } from '../../kernel/forms/form.ts'
import type { EmailVerification } from '../../kernel/login.ts'
import type { AuthSettings } from '../../kernel/settings/settings.ts'
import type { SignupFieldName } from '../../kernel/settings/groups/account-signup.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { cleanAddress, foldText, withFieldErrors } from '../email/clean-address.ts'
import { readTextField } from '../email/forms.ts'
import { trimPassword } from '../../kernel/passwords/passwords.ts'
import { prepareHash } from '../password/new-password.ts'
import { cleanPhoneNumber } from '../phone/change.ts'

/** Messages of the two errors that have no code. */
const MISMATCH_MESSAGES = {
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
 * stores it. Leaves the values of other fields as they are. Parameters and errors are those of `checkSignup`.
 */
export async function cleanSignup(
  account: Account,
  request: Visit,
  given: FormValues,
  options: Options = {},
): Promise<FormValues> {
  const clean = await checkSignup(account, request, given, options)
  const cleaned = (await account.signupForm?.clean?.(request, clean)) ?? clean
  await prepareHash(request, readTextField(clean, 'password1'))
  return cleaned
}

/**
 * Checks all sign-up input at once, except by the host's form, and returns it cleaned.
 * @param given Values by sign-up field; missing ones count as empty. Without `email2` and `password2` (JSON), nothing
 *   is compared.
 * @param options.withoutPassword Requires no password, and ignores one that is sent.
 * @param options.asked Fields to require instead of those of the settings.
 * @param options.emailVerification As for `findConflict`.
 * @throws {InvalidInput} with the errors of all fields
 */
export async function checkSignup(
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
    .filter(({ name }) => !(name in MISMATCH_MESSAGES))
    .filter(({ name }) => !(withoutPassword && name === 'password1'))
  const own = account.signupForm?.fields(request) ?? []
  errors.push(...findMissingFields(account, values, [...asked, ...own]), ...checkRepetitions(values))
  const wanted = { email: email || null, phone: phone || null }
  const conflict = await findConflict(account, request, wanted, emailVerification)
  if (conflict.kind === 'refused') errors.push(...conflict.errors)
  if (errors.length > 0) throw new InvalidInput(errors)
  return { ...values, username, email, phone, password1: password }
}

/** Returns an error for each required field that is empty or unchecked. Forms check this first; other callers don't. */
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
    password2: trimPassword(readTextField(values, 'password1')) === trimPassword(readTextField(values, 'password2')),
  }
  return (['email2', 'password2'] as const)
    .filter((name) => name in values && !isSame[name])
    .map((name) => ({ code: '', message: MISMATCH_MESSAGES[name], param: name }))
}

const omitPasswords = (values: FormValues): FormValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'password1' && name !== 'password2'))

/** Whether an account already has the address or phone of a sign-up. */
export type Conflict =
  | { readonly kind: 'none' }
  /** Not revealed to the visitor: no account is created, and the owner is notified. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'refused'; readonly errors: readonly InputError[] }

/** Returns how to handle an address in use: section 3.2.3 of the reference. */
function takenEmailRule(
  { preventEnumeration }: AuthSettings['account'],
  emailVerification: EmailVerification,
): Conflict['kind'] {
  if (preventEnumeration === false) return 'refused'
  if (emailVerification === 'mandatory') return 'hidden'
  return preventEnumeration === 'strict' ? 'none' : 'refused'
}

/** Returns how to handle a phone in use: only if phones are verified can the conflict be hidden. */
function takenPhoneRule(account: AuthSettings['account']): Conflict['kind'] {
  const { preventEnumeration, phoneVerificationEnabled } = account
  if (preventEnumeration === false) return 'refused'
  if (phoneVerificationEnabled) return 'hidden'
  return preventEnumeration === 'strict' ? 'none' : 'refused'
}

/** The values of a sign-up that only one account may have. */
interface Wanted {
  readonly email: string | null
  readonly phone: string | null
}

/**
 * Checks whether the address or phone is in use. Always looks up both, so that timing reveals nothing.
 * @param emailVerification Verification of the new account: if it's mandatory, a conflict can be hidden.
 */
export async function findConflict(
  account: Account,
  request: Visit,
  { email, phone }: Wanted,
  emailVerification: EmailVerification = account.kernel.settings.account.emailVerification,
): Promise<Conflict> {
  const settings = account.kernel.settings.account
  const emailTaken = email !== null && settings.uniqueEmail && (await account.emails.isTaken(request.db, email, null))
  const phoneTaken = phone !== null && (await account.adapter.getUserByPhone(request, phone)) !== null
  const met = [
    ...(emailTaken ? [{ rule: takenEmailRule(settings, emailVerification), code: 'email_taken', param: 'email' }] : []),
    ...(phoneTaken ? [{ rule: takenPhoneRule(settings), code: 'phone_taken', param: 'phone' }] : []),
  ]
  const refused = met.filter(({ rule }) => rule === 'refused')
  if (refused.length > 0) {
    return {
      kind: 'refused',
      errors: refused.map(({ code, param }) => account.adapter.validationError(code, { param })),
    }
  }
  return { kind: met.some(({ rule }) => rule === 'hidden') ? 'hidden' : 'none' }
}

type FieldProperties = Omit<Field, 'name' | 'required'>

/** Properties of the package's own fields. */
const FIELD_PROPERTIES: Readonly<Record<Exclude<SignupFieldName, 'phone'>, FieldProperties>> = {
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

/** Returns the sign-up fields that the settings list, in order. */
export function signupFields(account: Account): readonly Field[] {
  return account.kernel.settings.account.signupFields.map(({ name, required }, at) => {
    const asked = { name, required, ...(at === 0 ? { autofocus: true } : {}) }
    return name === 'phone' ? account.adapter.phoneFormField(asked) : { ...FIELD_PROPERTIES[name], ...asked }
  })
}
