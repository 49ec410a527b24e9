import type { InputError } from '../errors.ts'
import { isEmailSyntax } from '../kernel/forms/form.ts'
import { readBody } from '../kernel/http/form-body.ts'
import { getMaxLength, type InputField, MAX_IDS } from '../kernel/operations/declaration.ts'
import type { FieldErrorCode } from '../kernel/operations/errors.ts'
import { trimPassword } from '../kernel/passwords/passwords.ts'
import type { PageRequest } from '../kernel/http/page-request.ts'

/** An unvalidated JSON body: its members, or `malformed`. */
export type ApiBody = { readonly kind: 'object'; readonly members: Members } | { readonly kind: 'malformed' }
type Members = Readonly<Record<string, unknown>>

const MALFORMED: ApiBody = { kind: 'malformed' }
const EMPTY: ApiBody = { kind: 'object', members: {} }

/** The media types of a JSON body. A page of another site can't send them without asking by CORS. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i

/**
 * Reads a JSON body. A missing body and `null` count as an empty object; a body of another media type is malformed.
 * @throws {AuthError} `form_too_large`, or `form_malformed` if the body is incomplete
 */
export async function readJson(request: Request): Promise<ApiBody> {
  const bytes = await readBody(request)
  if (bytes.byteLength === 0) return EMPTY
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) return MALFORMED
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (value === null) return EMPTY
    if (typeof value !== 'object' || Array.isArray(value)) return MALFORMED
    return { kind: 'object', members: { ...value } }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return MALFORMED
    throw error
  }
}

/** The values of the readable fields, and the errors of the others in field order. */
interface ReadInput {
  readonly values: Members
  readonly errors: readonly InputError[]
}

/** Reads the fields' values from a body and the headers. */
export function readInput(visit: PageRequest, fields: readonly InputField[], members: Members): ReadInput {
  const errors: InputError[] = []
  const values: Record<string, unknown> = {}
  for (const field of fields) {
    const given = field.header === undefined ? ownMember(members, field.name) : visit.raw.headers.get(field.header)
    const read = readField(field, given ?? undefined)
    if ('code' in read) errors.push(toInputError(visit, field, read))
    else values[field.name] = read.value
  }
  return { values, errors }
}

const ownMember = (members: Members, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined

type Read = { readonly value: unknown } | { readonly code: FieldErrorCode; readonly values?: Record<string, number> }

const toInputError = (
  visit: PageRequest,
  { name }: InputField,
  { code, values }: Extract<Read, { code: string }>,
): InputError => visit.kernel.hooks.validationError(code, { param: name, ...(values === undefined ? {} : { values }) })

function readField(field: InputField, given: unknown): Read {
  switch (field.kind) {
    case 'text':
    case 'email':
    case 'password':
      return readText(field, given)
    case 'boolean':
      return readBoolean(field, given)
    case 'id':
      return readId(field, given)
    case 'ids':
      return readIds(field, given)
    case 'object':
      return readObject(field, given)
    case 'json':
      return { value: given }
  }
}

/** Returns whether a value counts as missing: an empty text, list, or object, or none. */
const isEmpty = (given: unknown): boolean =>
  given === undefined ||
  given === null ||
  given === '' ||
  (typeof given === 'object' && Object.keys(given).length === 0)

const missing = ({ required }: InputField, value: unknown): Read => (required ? { code: 'required' } : { value })

function readText(field: InputField, given: unknown): Read {
  if (isEmpty(given)) return missing(field, '')
  const written = toText(given)
  if (written === null) return { code: 'invalid' }
  const text = written.toWellFormed()
  const trimmed = field.kind === 'password' ? trimPassword(text) : text.trim()
  if (trimmed === '') return missing(field, '')
  if (text.includes('\0')) return { code: 'null_characters_not_allowed' }
  const max = getMaxLength(field)
  if (text.length > max && Array.from(text).length > max) return { code: 'max_length', values: { max } }
  if (field.kind === 'password') return { value: text }
  return field.kind === 'email' && !isEmailSyntax(trimmed) ? { code: 'invalid' } : { value: trimmed }
}

/** The deepest nesting of a value that's accepted as text. */
const MAX_DEPTH = 20

/**
 * Converts a value of any type to text, as Python's `str` does: existing clients send numbers, and their passwords were
 * stored in this form. Returns `null` if it's nested too deeply.
 */
function toText(value: unknown, depth: number = 0): string | null {
  if (typeof value === 'string') return depth === 0 ? value : quote(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return 'None'
  if (depth >= MAX_DEPTH) return null
  const isList = Array.isArray(value)
  const parts = Object.entries(value).map(([name, member]) => {
    const text = toText(member, depth + 1)
    return text === null || isList ? text : `${quote(name)}: ${text}`
  })
  if (parts.includes(null)) return null
  return isList ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`
}

/** Returns a text in the quotes that Python's `repr` uses. */
function quote(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')
  if (!escaped.includes("'")) return `'${escaped}'`
  return escaped.includes('"') ? `'${escaped.replaceAll("'", "\\'")}'` : `"${escaped}"`
}

/** Returns `true` for any value but those that are false or empty, as clients of any type send them. */
function readBoolean(field: InputField, given: unknown): Read {
  const isFalse =
    isEmpty(given) ||
    given === false ||
    given === 0 ||
    (typeof given === 'string' && ['false', '0'].includes(given.toLowerCase()))
  return isFalse && field.required ? { code: 'required' } : { value: !isFalse }
}

function readObject(field: InputField, given: unknown): Read {
  if (isEmpty(given)) return missing(field, undefined)
  if (typeof given === 'object') return { value: Array.isArray(given) ? {} : given }
  if (typeof given !== 'string') return { value: {} }
  try {
    const parsed: unknown = JSON.parse(given)
    return readObject(field, typeof parsed === 'string' ? {} : parsed)
  } catch (error) {
    if (error instanceof SyntaxError) return { code: 'invalid' }
    throw error
  }
}

function readId(field: InputField, given: unknown): Read {
  if (isEmpty(given)) return missing(field, undefined)
  const id = toId(given)
  return id === null ? { code: 'invalid_choice' } : { value: id }
}

function readIds(field: InputField, given: unknown): Read {
  if (isEmpty(given) || given === 0 || given === false) return missing(field, [])
  if (!Array.isArray(given) || given.length > MAX_IDS) return { code: 'invalid_list' }
  const ids = given.map(toId)
  return ids.includes(null) ? { code: 'invalid_pk_value' } : { value: ids }
}

/** Returns an integer, also one written as text; `null` for anything else. */
function toId(given: unknown): number | null {
  const id = typeof given === 'string' && /^\s*[+-]?\d{1,16}\s*$/.test(given) ? Number(given) : given
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null
}
