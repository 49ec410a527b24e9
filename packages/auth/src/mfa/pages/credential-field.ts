import type { Account } from '../../account/account.ts'
import { ERROR_MESSAGES } from '../../kernel/forms/error-messages.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import type { BoundForm, Field, FormValues } from '../../kernel/forms/form.ts'
import type { CredentialInput } from '../mfa.ts'

/** Maximum number of characters; far more than a credential with a certificate chain has. */
const MAX_LENGTH = 60_000

/** Field filled in by a script. Not required: an empty value means that no script ran, which has its own error. */
export const CREDENTIAL_FIELD: Field = {
  name: 'credential',
  label: 'Security key',
  type: 'hidden',
  required: false,
  maxLength: MAX_LENGTH,
}

const KEY_MESSAGES = {
  missing: "Your browser didn't return a key. Enable JavaScript for this page and try again.",
  refused: "This key wasn't accepted. Try again or use another method.",
} as const

/**
 * Runs `work` with the credential of a form.
 * @throws {InvalidInput} `required`, `incorrect_code` (param `credential`), and what `work` refuses
 */
export async function withCredential<R>(
  account: Account,
  values: FormValues,
  work: (credential: CredentialInput) => Promise<R>,
): Promise<R> {
  try {
    return await work(parseCredential(account, values))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map(toKeyError))
  }
}

/** Replaces the default message, which is about a code. Keeps a message of the host. */
const toKeyError = (error: InputError): InputError =>
  error.message === ERROR_MESSAGES.incorrect_code ? { ...error, message: KEY_MESSAGES.refused } : error

function parseCredential(account: Account, values: FormValues): CredentialInput {
  const text = String(values['credential'] ?? '')
  if (text === '') {
    throw new InvalidInput([{ code: 'required', message: KEY_MESSAGES.missing, param: 'credential' }])
  }
  const credential = tryParseCredential(text)
  if (credential !== null) return credential
  throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'credential' })])
}

function tryParseCredential(text: string): CredentialInput | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null // not JSON, so not a credential
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as CredentialInput) : null // any object; whoever reads it checks every member
}

/** Returns a refused form without its credential, because the credential's challenge is used up. */
export const clearCredential = ({ fields, errors }: BoundForm): BoundForm => ({
  fields: fields.map((field) => (field.name === CREDENTIAL_FIELD.name ? { ...field, value: '' } : field)),
  errors,
})

/** Field for the name of a key. */
export const KEY_NAME_FIELD: Field = {
  name: 'name',
  label: 'Key name',
  type: 'text',
  required: false,
  maxLength: 100,
}
