import type { BoundField, BoundForm } from '../kernel/forms/form.ts'

/** Markup that must always be escaped. */
export const HOSTILE = `<script>alert("x")</script>'`

/** Returns a field for a page that's rendered without a database. */
export const sampleField = (
  name: string,
  type: BoundField['type'] = 'text',
  more: Partial<BoundField> = {},
): BoundField => ({
  name,
  type,
  label: 'Password',
  required: true,
  id: `id_${name}`,
  value: type === 'checkbox' ? false : '',
  errors: [],
  ...more,
})

/** Returns a form without form-level errors. */
export const sampleForm = (...fields: readonly BoundField[]): BoundForm => ({ fields, errors: [] })
