import type { InputError } from '../../errors.ts'
import type { User } from '../users/user.ts'
import type { Visit } from '../visit.ts'

/** A form field. Texts are in English and keys of the translation catalogs. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly type: 'text' | 'textarea' | 'email' | 'password' | 'tel' | 'checkbox' | 'hidden'
  readonly required: boolean
  readonly autocomplete?: string
  readonly placeholder?: string
  readonly helpText?: string
  readonly inputMode?: 'numeric' | 'text' | 'email' | 'tel'
  readonly autofocus?: boolean
  readonly initial?: string | boolean
  /** Maximum length in code points, after which the error is `max_length`. Default 1,000, and 4,096 for a password. */
  readonly maxLength?: number
  /** Trims text unless `false`. A password is passed on as typed. */
  readonly trim?: boolean
}

/** The submitted values by field name: text, or a boolean for a checkbox. Missing text is `''`. */
export type FormValues = Readonly<Record<string, string | boolean>>

/**
 * A form. A host can override it by its ID to add fields and rules or to replace `save`.
 * @typeParam R The result of `save`.
 */
export interface FormDefinition<R> {
  /** `null` if a host can't override the form. */
  readonly id: string | null
  fields(request: Visit): readonly Field[]
  /** Checks rules beyond those of single fields, and returns the values, possibly changed. @throws {InvalidInput} */
  clean(request: Visit, values: FormValues): Promise<FormValues>
  /** Processes the submitted values. @throws {InvalidInput} The form shows its errors. */
  save(request: Visit, values: FormValues): Promise<R>
}

/**
 * Additional signup fields of the host, on the signup page, in the JSON API, and after a social login
 * (SIGNUP_FORM_CLASS in the reference).
 */
export interface SignupForm {
  fields(request: Visit): readonly Field[]
  /** Checks rules beyond those of single fields, and returns the values, possibly changed. @throws {InvalidInput} */
  clean?(request: Visit, values: FormValues): Promise<FormValues>
  /** Stores the values, in the transaction that stores the user. Use its handle, `request.db`. */
  signup(request: Visit, user: User, values: FormValues): Promise<void>
}

/** A host's change to a form; `base` is the built-in form. */
export type FormOverride<R = unknown> = (base: FormDefinition<R>) => FormDefinition<R>

/** Form overrides by form ID, untyped. `FormOverrides` has their types. */
export type AnyFormOverrides = Readonly<Record<string, unknown>>

/** A field with its value and errors. Passwords aren't rendered unless `passwordInputRenderValue` is set. */
export interface BoundField extends Field {
  /** The element's ID on the page. */
  readonly id: string
  readonly value: string | boolean
  /** Set for a password that's rendered, in `value`. */
  readonly renderValue?: true
  readonly errors: readonly InputError[]
}

/** A form with values and errors, for rendering. */
export interface BoundForm {
  readonly fields: readonly BoundField[]
  /** Errors of the form as a whole. */
  readonly errors: readonly InputError[]
}

/** Forms by id, with the host's overrides applied. */
export interface Forms {
  /** Returns `base` with the host's override, if any. */
  of<R>(base: FormDefinition<R>): FormDefinition<R>
  /** Returns the unsubmitted form. `initial` takes precedence over the fields' own initial values. */
  show(definition: FormDefinition<unknown>, request: Visit, initial?: FormValues): BoundForm
  /**
   * Reads `request.form`, checks every field, and runs `clean` and `save`.
   * @returns the result of `save`, or the form with the errors of an `InvalidInput`; other errors are thrown
   */
  submit<R>(
    definition: FormDefinition<R>,
    request: Visit,
  ): Promise<{ readonly ok: true; readonly result: R } | { readonly ok: false; readonly form: BoundForm }>
}

/** Longest email address accepted, in UTF-16 units. RFC 3696 erratum 1690 allows 254, the reference 320. */
const MAX_LENGTH = 320
const LOCAL = /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u

/**
 * Returns whether a text is a plain email address `local@domain`: without quoting, address literals, or control
 * characters, but with letters of any script on both sides (RFC 6531).
 */
export function isEmailSyntax(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > MAX_LENGTH) return false
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  if (!LOCAL.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false
  const labels = domain.split('.')
  return (
    domain.length <= 253 && labels.every((label) => LABEL.test(label)) && (labels.length > 1 || domain === 'localhost')
  )
}
