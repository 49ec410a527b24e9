import {
  isEmailSyntax,
  type AnyFormOverrides,
  type BoundField,
  type BoundForm,
  type Field,
  type FormDefinition,
  type FormOverride,
  type Forms,
  type FormValues,
} from './form.ts'
import type { KernelHooks } from '../hooks.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import { trimPassword } from '../passwords/passwords.ts'
import type { Visit } from '../visit.ts'

const MAX_LENGTH = 1_000
const MAX_PASSWORD_LENGTH = 4_096

/**
 * Creates the forms with the host's overrides.
 * @param adapter Returns the source of error messages. Called when a form is read.
 * @param showsPasswords Whether a rejected form is rendered with the passwords that were typed.
 */
export function createForms(
  overrides: AnyFormOverrides,
  adapter: () => Pick<KernelHooks, 'validationError'>,
  showsPasswords: boolean = false,
): Forms {
  const of = <R>(base: FormDefinition<R>): FormDefinition<R> => {
    const override = base.id === null ? undefined : overrides[base.id]
    return override === undefined ? base : (override as unknown as FormOverride<R>)(base) // the ID determines the result type
  }
  return {
    of,
    show: (base, request, initial = {}) => ({
      fields: of(base)
        .fields(request)
        .map((field) => bindField(field, initial[field.name] ?? field.initial ?? createEmptyForm(field), [])),
      errors: [],
    }),
    async submit(base, request) {
      const form = of(base)
      const fields = form.fields(request)
      const values = readFormValues(fields, request)
      const errors = fields.flatMap((field) => fieldErrors(field, values[field.name] ?? '', adapter()))
      try {
        if (errors.length > 0) throw new InvalidInput(errors)
        return { ok: true, result: await form.save(request, await form.clean(request, values)) }
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error
        return { ok: false, form: bindErrors(fields, values, error.errors, showsPasswords) }
      }
    },
  }
}

const createEmptyForm = (field: Field): string | boolean => (field.type === 'checkbox' ? false : '')

function readFormValues(fields: readonly Field[], request: Visit): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, parseFieldValue(field, request.form.get(field.name))]))
}

function parseFieldValue(field: Field, given: string | undefined): string | boolean {
  if (field.type === 'checkbox') return given !== undefined && !['', 'false', '0', 'off'].includes(given.toLowerCase())
  const text = given ?? ''
  return field.type === 'password' || field.trim === false ? text : text.trim()
}

function fieldErrors(
  field: Field,
  value: string | boolean,
  adapter: Pick<KernelHooks, 'validationError'>,
): readonly InputError[] {
  const wrong = (code: string, values?: Record<string, number>): readonly InputError[] => [
    adapter.validationError(code, { param: field.name, ...(values === undefined ? {} : { values }) }),
  ]
  if (typeof value === 'boolean') return field.required && !value ? wrong('required') : []
  const isBlank = field.type === 'password' ? trimPassword(value) === '' : value === ''
  if (isBlank) return field.required ? wrong('required') : []
  if (value.includes('\0')) return wrong('null_characters_not_allowed')
  const max = field.maxLength ?? (field.type === 'password' ? MAX_PASSWORD_LENGTH : MAX_LENGTH)
  if (value.length > max && Array.from(value).length > max) return wrong('max_length', { max })
  return field.type === 'email' && !isEmailSyntax(value) ? wrong('invalid') : []
}

/** Binds errors to their fields. Errors without a field go to the form as a whole. */
function bindErrors(
  fields: readonly Field[],
  values: FormValues,
  errors: readonly InputError[],
  showsPasswords: boolean,
): BoundForm {
  const names = new Set(fields.map(({ name }) => name))
  return {
    fields: fields.map((field) =>
      bindField(
        field,
        field.type === 'password' && !showsPasswords ? '' : (values[field.name] ?? ''),
        errors.filter(({ param }) => param === field.name),
      ),
    ),
    errors: errors.filter(({ param }) => param === undefined || !names.has(param)),
  }
}

function bindField(field: Field, value: string | boolean, errors: readonly InputError[]): BoundField {
  const rendered = field.type === 'password' && value !== '' ? { renderValue: true as const } : {}
  return { ...field, ...rendered, id: `id_${field.name}`, value, errors }
}
