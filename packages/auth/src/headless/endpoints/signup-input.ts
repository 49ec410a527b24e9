import { InvalidInput } from '../../errors.ts'
import type { Field, FormValues } from '../../forms/form.ts'
import type { SignupField } from '../../settings/signup-fields.ts'
import type { ApiCall } from '../endpoint.ts'
import type { InputField } from '../input.ts'

const MAX_LENGTH = 1_000
const KINDS = {
  text: 'text',
  email: 'email',
  password: 'password',
  tel: 'text',
  checkbox: 'boolean',
  hidden: 'text',
} as const satisfies Readonly<Record<Field['type'], InputField['kind']>>

/**
 * What a sign-up by JSON is asked for: the fields of the settings without their repetitions, those of the host, and the
 * one that people do not see.
 * @param options.password Whether a password is one of them, as `password`.
 */
export function signupInput(
  { core, request }: ApiCall,
  { password }: { readonly password: boolean },
): readonly InputField[] {
  const { signupFields, signupFormHoneypotField: trap } = core.settings.account
  const own = (core.signupForm?.fields(request) ?? []).map(hostField)
  const hidden: readonly InputField[] = trap === null ? [] : [{ name: trap, kind: 'text', required: false }]
  return [...signupFields.flatMap((field) => settingsField(field, password)), ...own, ...hidden]
}

function settingsField({ name, required }: SignupField, password: boolean): readonly InputField[] {
  switch (name) {
    case 'email2':
    case 'password2':
      return []
    case 'password1':
      return password ? [{ name: 'password', kind: 'password', required }] : []
    case 'username':
      return [{ name, kind: 'text', required, maxLength: 150 }]
    case 'email':
      return [{ name, kind: 'email', required, maxLength: 320 }]
    case 'phone':
      return [{ name, kind: 'text', required }]
  }
}

function hostField({ name, type, required, maxLength, trim, label }: Field): InputField {
  if (trim === false && type !== 'checkbox') {
    return { name, kind: 'password', required, maxLength: maxLength ?? MAX_LENGTH, about: label }
  }
  return { name, kind: KINDS[type], required, about: label, ...(maxLength === undefined ? {} : { maxLength }) }
}

/**
 * What was given, as the values of the sign-up form.
 * @throws {InvalidInput} `required`: a box of the host that must be ticked is not
 */
export function signupValues({ core, request }: ApiCall, input: Readonly<Record<string, unknown>>): FormValues {
  const unticked = (core.signupForm?.fields(request) ?? []).filter(
    ({ name, type, required }) => type === 'checkbox' && required && input[name] !== true,
  )
  if (unticked.length > 0) {
    throw new InvalidInput(unticked.map(({ name }) => core.adapter.validationError('required', { param: name })))
  }
  const values: Record<string, string | boolean> = {}
  for (const [name, value] of Object.entries(input)) {
    values[name === 'password' ? 'password1' : name] = typeof value === 'string' ? value : value === true
  }
  return values
}
