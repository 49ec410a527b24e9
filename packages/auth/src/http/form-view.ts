import type { InputError } from '../errors.ts'
import type { BoundField, BoundForm } from '../forms/form.ts'
import type { Translate } from '../templates/templates.ts'

/** A form as templates see it, in the visitor's language. */
export interface FormView {
  readonly fields: readonly Readonly<Record<string, unknown>>[]
  /** Sentences. */
  readonly errors: readonly string[]
  /** Whether anything is wrong, here or in a field. */
  readonly has_errors: boolean
}

export function formView(form: BoundForm, t: Translate): FormView {
  const fields = form.fields.map((field) => fieldView(field, t))
  return {
    fields,
    errors: texts(form.errors, t),
    has_errors: form.errors.length > 0 || form.fields.some(({ errors }) => errors.length > 0),
  }
}

function fieldView(field: BoundField, t: Translate): Readonly<Record<string, unknown>> {
  const { name, id, type, required, value, label, helpText, placeholder } = field
  return {
    name,
    id,
    type,
    required,
    value: type === 'checkbox' ? '' : value,
    checked: value === true,
    label: t(label),
    help_text: helpText === undefined ? '' : t(helpText),
    placeholder: placeholder === undefined ? '' : t(placeholder),
    autocomplete: field.autocomplete ?? '',
    inputmode: field.inputMode ?? '',
    autofocus: field.autofocus ?? false,
    maxlength: field.maxLength ?? '',
    errors: texts(field.errors, t),
  }
}

const texts = (errors: readonly InputError[], t: Translate): readonly string[] =>
  errors.map(({ message, values }) => t(message, values))

/** A form in XHR mode; what was typed into a password field is never in it. */
export function xhrForm(form: BoundForm, t: Translate): unknown {
  const fields = form.fields.map((field) => {
    const view = fieldView(field, t)
    const value = field.type === 'checkbox' ? field.value === true : field.value
    const { label, help_text, errors } = view
    return [field.name, { label, value, help_text, errors, widget: { attrs: { type: field.type } } }] as const
  })
  return {
    fields: Object.fromEntries(fields),
    field_order: form.fields.map(({ name }) => name),
    errors: texts(form.errors, t),
  }
}
