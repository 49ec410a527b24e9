import type { InputError } from '../../errors.ts'
import type { BoundField, BoundForm } from '../forms/form.ts'
import type { Translate } from '../templates/translations.ts'

/** Returns a form in legacy XHR mode (4.1.2 of the reference). Never contains password values, whatever the settings. */
export function xhrForm(form: BoundForm, t: Translate): unknown {
  return {
    fields: Object.fromEntries(form.fields.map((field) => [field.name, xhrField(field, t)])),
    field_order: form.fields.map(({ name }) => name),
    errors: translateErrors(form.errors, t),
  }
}

function xhrField(field: BoundField, t: Translate): unknown {
  const { label, helpText, type, value, errors } = field
  return {
    label: t(label),
    value: type === 'password' ? '' : value,
    help_text: helpText === undefined ? '' : t(helpText),
    errors: translateErrors(errors, t),
    widget: { attrs: { type } },
  }
}

const translateErrors = (errors: readonly InputError[], t: Translate): readonly string[] =>
  errors.map(({ message, values }) => t(message, values))
