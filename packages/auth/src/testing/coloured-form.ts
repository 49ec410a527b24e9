import { InvalidInput } from '../errors.ts'
import type { Field } from '../kernel/forms/form.ts'
import type { FormId, FormOverrides } from '../compose.ts'

/** A field that a host adds. */
export const COLOUR: Field = { name: 'colour', label: 'Favourite colour', type: 'text', required: true }

/**
 * A form that asks for a colour besides, and refuses grey.
 * @param kept Takes the colours of what was saved.
 */
export function withColour(id: FormId, kept: unknown[]): FormOverrides {
  const override: NonNullable<FormOverrides['login']> = (base) => ({
    ...base,
    fields: (request) => [...base.fields(request), COLOUR],
    async clean(request, values) {
      if (values['colour'] === 'grey') {
        throw new InvalidInput([{ code: 'invalid', message: 'Grey is no colour.', param: 'colour' }])
      }
      return base.clean(request, values)
    },
    async save(request, values) {
      const result = await base.save(request, values)
      kept.push(values['colour'])
      return result
    },
  })
  return { [id]: override }
}
