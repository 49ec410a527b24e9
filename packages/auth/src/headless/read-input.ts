import type { PageRequest } from '../kernel/http/page-request.ts'
import { type InputError, InvalidInput } from '../errors.ts'
import { isEmailSyntax } from '../kernel/forms/email-syntax.ts'
import { readBody } from '../kernel/http/form-body.ts'
import type { InputField } from '../kernel/operations/input.ts'

/** A JSON body, read and not looked at: its members, or that it is none. */
export type ApiBody = { readonly kind: 'object'; readonly members: Members } | { readonly kind: 'malformed' }
type Members = Readonly<Record<string, unknown>>

const MAX_LENGTH = 1_000
const MAX_PASSWORD_LENGTH = 4_096
const MAX_IDS = 1_000
const MALFORMED: ApiBody = { kind: 'malformed' }

/** No body: no members. @throws {AuthError} `form_too_large`, `form_malformed` for one that breaks off */
export async function readJson(request: Request): Promise<ApiBody> {
  const bytes = await readBody(request)
  if (bytes.byteLength === 0) return { kind: 'object', members: {} }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return MALFORMED
    return { kind: 'object', members: { ...value } }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return MALFORMED
    throw error
  }
}

/** The values of the fields. @throws {InvalidInput} with everything that is wrong, in the order of the fields */
export function readInput(visit: PageRequest, fields: readonly InputField[], body: ApiBody): Members {
  if (body.kind === 'malformed') throw new InvalidInput([visit.kernel.hooks.validationError('invalid')])
  const errors: InputError[] = []
  const values: Record<string, unknown> = {}
  for (const field of fields) {
    const given = field.header === undefined ? ownMember(body.members, field.name) : visit.raw.headers.get(field.header)
    const read = readField(field, given ?? undefined)
    if ('code' in read) errors.push(toInputError(visit, field, read))
    else values[field.name] = read.value
  }
  if (errors.length > 0) throw new InvalidInput(errors)
  return values
}

const ownMember = (members: Members, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined

type Read = { readonly value: unknown } | { readonly code: string; readonly values?: Record<string, number> }

const toInputError = (
  visit: PageRequest,
  { name }: InputField,
  { code, values }: Extract<Read, { code: string }>,
): InputError => visit.kernel.hooks.validationError(code, { param: name, ...(values === undefined ? {} : { values }) })

function readField(field: InputField, given: unknown): Read {
  if (field.kind === 'text' || field.kind === 'email' || field.kind === 'password') return readText(field, given)
  if (given === undefined) return field.required ? { code: 'required' } : { value: undefined }
  switch (field.kind) {
    case 'boolean':
      return typeof given === 'boolean' ? { value: given } : { code: 'invalid' }
    case 'id':
      return isId(given) ? { value: given } : { code: 'invalid_choice' }
    case 'ids':
      return readIds(field, given)
    case 'object':
      return readObject(field, given)
  }
}

function readText(field: InputField, given: unknown): Read {
  if (given === undefined) return field.required ? { code: 'required' } : { value: '' }
  if (typeof given !== 'string') return { code: 'invalid' }
  const text = field.kind === 'password' ? given.toWellFormed() : given.toWellFormed().trim()
  if (text === '') return field.required ? { code: 'required' } : { value: '' }
  if (text.includes('\0')) return { code: 'null_characters_not_allowed' }
  const max = field.maxLength ?? (field.kind === 'password' ? MAX_PASSWORD_LENGTH : MAX_LENGTH)
  if (text.length > max && Array.from(text).length > max) return { code: 'max_length', values: { max } }
  return field.kind === 'email' && !isEmailSyntax(text) ? { code: 'invalid' } : { value: text }
}

function readObject(field: InputField, given: unknown): Read {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return { code: 'invalid' }
  return field.required && Object.keys(given).length === 0 ? { code: 'required' } : { value: given }
}

function readIds(field: InputField, given: unknown): Read {
  if (!Array.isArray(given) || given.length > MAX_IDS) return { code: 'invalid_list' }
  if (given.length === 0) return field.required ? { code: 'required' } : { value: [] }
  return given.every(isId) ? { value: given } : { code: 'invalid_pk_value' }
}

const isId = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value)
