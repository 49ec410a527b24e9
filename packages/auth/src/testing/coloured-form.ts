import { InvalidInput } from '../errors.ts'
import type { Field } from '../kernel/forms/form.ts'
import type { FormId, FormOverrides } from '../compose.ts'

/** An additional field. */
export const COLOUR: Field = { name: 'colour', label: 'Favourite colour', type: 'text', required: true }

/**
 * Overrides a form to require a colour other than grey.
 * @param kept Receives the saved colours.
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
