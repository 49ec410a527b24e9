import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { BoundForm, Field, FormValues } from '../../forms/form.ts'
import type { CredentialInput } from '../mfa.ts'

/** Characters. Far more than a credential has, with a chain of certificates in it. */
const MAX_LENGTH = 60_000

/** What a script fills in. Not required: an empty one means that no script ran, and says so. */
export const CREDENTIAL_FIELD: Field = {
  name: 'credential',
  label: 'Security key',
  type: 'hidden',
  required: false,
  maxLength: MAX_LENGTH,
}

const NO_CREDENTIAL_MESSAGES = {
  required: 'Your browser did not send a key. It must allow this page to run scripts.',
} as const

/** @throws {InvalidInput} `required`, `incorrect_code` (param `credential`) */
export function credentialOf(core: Core, values: FormValues): CredentialInput {
  const text = String(values['credential'] ?? '')
  if (text === '') {
    throw new InvalidInput([{ code: 'required', message: NO_CREDENTIAL_MESSAGES.required, param: 'credential' }])
  }
  const credential = parsed(text)
  if (credential !== null) return credential
  throw new InvalidInput([core.adapter.validationError('incorrect_code', { param: 'credential' })])
}

function parsed(text: string): CredentialInput | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null // not JSON: what a credential never is
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as CredentialInput) : null // any object: its reader trusts nothing in it
}

/** A refused form without the credential that was refused: its challenge is used up. */
export const withoutCredential = ({ fields, errors }: BoundForm): BoundForm => ({
  fields: fields.map((field) => (field.name === CREDENTIAL_FIELD.name ? { ...field, value: '' } : field)),
  errors,
})
