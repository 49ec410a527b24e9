import type { Field } from '../../kernel/forms/form.ts'

/** What its owner calls a key. */
export const KEY_NAME_FIELD: Field = {
  name: 'name',
  label: 'Key name',
  type: 'text',
  required: false,
  maxLength: 100,
}
