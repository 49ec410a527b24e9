import type { InputError } from '../../errors.ts'
import type { User } from '../users/user.ts'
import type { Visit } from '../visit.ts'

/** One input of a form. Texts are English and keys of the catalogues. */
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
  /** Characters (code points). Longer input is `max_length`; default 1,000, 4,096 for a password. */
  readonly maxLength?: number
  /** Trims text unless `false`; a password is never trimmed. */
  readonly trim?: boolean
}

/** What was given, by the names of the fields: text, or a boolean for a checkbox. Absent text is `''`. */
export type FormValues = Readonly<Record<string, string | boolean>>

/**
 * A form. A host changes one by its id: more fields, more rules, another `save`.
 * @typeParam R What saving answers.
 */
export interface FormDefinition<R> {
  /** `null`: none that a host changes. */
  readonly id: string | null
  fields(request: Visit): readonly Field[]
  /** Rules beyond those of single fields; may answer other values. @throws {InvalidInput} */
  clean(request: Visit, values: FormValues): Promise<FormValues>
  /** Does what the form is for. @throws {InvalidInput} shown in the form */
  save(request: Visit, values: FormValues): Promise<R>
}

/**
 * Extra fields that the host requires at sign-up, in addition to those of the settings: on the page, in JSON and after
 * a social login alike (SIGNUP_FORM_CLASS of the reference).
 */
export interface SignupForm {
  fields(request: Visit): readonly Field[]
  /** Rules beyond those of single fields; may answer other values. @throws {InvalidInput} */
  clean?(request: Visit, values: FormValues): Promise<FormValues>
  /** Keeps what was given, in the transaction that stores the user: `request.db` is its handle. */
  signup(request: Visit, user: User, values: FormValues): Promise<void>
}

/** A host's change to a form; `base` is the built-in form. */
export type FormOverride<R = unknown> = (base: FormDefinition<R>) => FormDefinition<R>

/** Overrides of forms by id. Each fits the form of its id: `FormOverrides` of the package types them. */
export type AnyFormOverrides = Readonly<Record<string, unknown>>

/** A field as rendered. Passwords are not rendered, unless `passwordInputRenderValue` is set. */
export interface BoundField extends Field {
  /** Of the element in the page. */
  readonly id: string
  readonly value: string | boolean
  /** A password that stands in the page: `value` has it. */
  readonly renderValue?: true
  readonly errors: readonly InputError[]
}

/** A form as a page shows it. */
export interface BoundForm {
  readonly fields: readonly BoundField[]
  /** Of the form as a whole. */
  readonly errors: readonly InputError[]
}

/** Forms by id, with the host's overrides applied. */
export interface Forms {
  /** `base` with the host's override, if there is one. */
  of<R>(base: FormDefinition<R>): FormDefinition<R>
  /** The empty form. `initial` wins over the fields' own. */
  show(definition: FormDefinition<unknown>, request: Visit, initial?: FormValues): BoundForm
  /**
   * Reads `request.form`, checks every field, cleans, saves.
   * @returns what `save` answered, or the form with its errors; other errors pass through
   */
  submit<R>(
    definition: FormDefinition<R>,
    request: Visit,
  ): Promise<{ readonly ok: true; readonly result: R } | { readonly ok: false; readonly form: BoundForm }>
}

/** Longest address that a form takes, in characters (RFC 3696, erratum 1690, allows 254 in a path; the reference 320). */
const MAX_LENGTH = 320
const LOCAL = /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u

/**
 * Whether this is a plain mailbox `local@domain`: no quoting, no address literal, no control character; letters of any
 * script on both sides (RFC 6531).
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
