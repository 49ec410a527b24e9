import { choice, isRecord, type Kind, listOf, type Reading } from './kind.ts'

/** Fields that the package itself can ask for at sign-up. */
export const SIGNUP_FIELD_NAMES = ['username', 'email', 'email2', 'phone', 'password1', 'password2'] as const
/** The name of a field of the sign-up form. */
export type SignupFieldName = (typeof SIGNUP_FIELD_NAMES)[number]

/** One field of the sign-up form; the list has the order of the form. */
export interface SignupField {
  readonly name: SignupFieldName
  readonly required: boolean
}

const fieldName = choice(...SIGNUP_FIELD_NAMES)

function readField(value: unknown): Reading<SignupField> {
  const { name, required } = isRecord(value)
    ? value
    : typeof value === 'string'
      ? { name: value.replace(/\*$/, ''), required: value.endsWith('*') }
      : {}
  if (name === 'password') return { problem: 'must be password1, not password' }
  const reading = fieldName.read(name)
  if ('problem' in reading || typeof required !== 'boolean')
    return { problem: `must be one of ${SIGNUP_FIELD_NAMES.join(', ')}, followed by * if required` }
  return { value: { name: reading.value, required } }
}

const field: Kind<SignupField, SignupField | string> = {
  type: `one of ${SIGNUP_FIELD_NAMES.join(', ')}`,
  example: 'email*',
  read: readField,
  fromText: (text) => text,
}

const list = listOf(
  field,
  'sign-up fields (username, email, email2, phone, password1, password2; * marks required fields)',
)

/** `email*` is a required field, `email` one that may stay empty. `password2` is as required as `password1`. */
export const signupFields: Kind<
  readonly SignupField[],
  readonly (SignupField | string)[] | ReadonlySet<SignupField | string>
> = {
  ...list,
  example: ['email*', 'password1*'],
  read(value) {
    const reading = list.read(value)
    if ('problem' in reading) return reading
    const names = reading.value.map(({ name }) => name)
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    if (twice !== undefined) return { problem: `must name each field once: ${twice} stands twice` }
    const password = reading.value.find(({ name }) => name === 'password1')
    if (names.includes('password2') && !password) return { problem: 'must have password1 where it has password2' }
    if (names.includes('email2') && !names.includes('email')) return { problem: 'must have email where it has email2' }
    const required = password?.required ?? false
    return { value: reading.value.map((entry) => (entry.name === 'password2' ? { ...entry, required } : entry)) }
  },
}
