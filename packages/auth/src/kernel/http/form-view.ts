import type { InputError } from '../../errors.ts'
import type { BoundField, BoundForm } from '../forms/form.ts'
import type { Translate } from '../templates/translations.ts'

/** A form in legacy XHR mode (4.1.2 of the reference). What was typed into a password field is never in it, whatever the settings say. */
export function xhrForm(form: BoundForm, t: Translate): unknown {
  return {
    fields: Object.fromEntries(form.fields.map((field) => [field.name, xhrField(field, t)])),
    field_order: form.fields.map(({ name }) => name),
    errors: texts(form.errors, t),
  }
}

function xhrField(field: BoundField, t: Translate): unknown {
  const { label, helpText, type, value, errors } = field
  return {
    label: t(label),
    value: type === 'password' ? '' : value,
    help_text: helpText === undefined ? '' : t(helpText),
    errors: texts(errors, t),
    widget: { attrs: { type } },
  }
}

const texts = (errors: readonly InputError[], t: Translate): readonly string[] =>
  errors.map(({ message, values }) => t(message, values))
