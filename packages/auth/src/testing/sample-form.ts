import type { BoundField, BoundForm } from '../kernel/forms/form.ts'

/** Markup that must never come out as it is. */
export const HOSTILE = `<script>alert("x")</script>'`

/** A field of a page that is shown without a database. */
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

/** A form without errors of its own. */
export const sampleForm = (...fields: readonly BoundField[]): BoundForm => ({ fields, errors: [] })
