import { AuthError, type InputError } from '../../errors.ts'
import type { BoundField, BoundForm } from '../forms/form.ts'
import type { Translate } from '../templates/translations.ts'

/** Limits on a form's size, far above what any form of this package needs. */
const MAX_BYTES = 128 * 1024
const MAX_FIELDS = 100

/**
 * Returns the fields of a posted form (`application/x-www-form-urlencoded`, `multipart/form-data`) or of a flat JSON
 * object. The last one wins for duplicate names. Returns no fields if there's no body, and ignores files.
 * @throws {AuthError} `form_too_large`, `form_malformed`
 */
export async function readForm(request: Request): Promise<ReadonlyMap<string, string>> {
  const bytes = await readBody(request)
  if (bytes.byteLength === 0) return new Map()
  const type = (request.headers.get('content-type') ?? '').toLowerCase()
  const fields = type.startsWith('application/json') ? jsonFields(bytes) : await formFields(request, type, bytes)
  if (fields.length > MAX_FIELDS) throw new AuthError('form_too_large')
  return new Map(fields)
}

type Fields = readonly (readonly [name: string, value: string])[]

async function formFields(request: Request, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<Fields> {
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const text = decode(bytes)
    if (/%(?![0-9a-f]{2})/i.test(text)) throw new AuthError('form_malformed')
    return [...new URLSearchParams(text)].slice(0, MAX_FIELDS + 1)
  }
  if (!type.startsWith('multipart/form-data')) throw new AuthError('form_malformed')
  try {
    const whole = new Response(bytes, { headers: { 'content-type': request.headers.get('content-type') ?? '' } })
    // oxlint-disable-next-line typescript/no-deprecated -- only for unbounded bodies; this one is small and in memory
    const form = await whole.formData()
    return [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []))
  } catch (cause) {
    throw new AuthError('form_malformed', { cause })
  }
}

function jsonFields(bytes: Uint8Array): Fields {
  let value: unknown
  try {
    value = JSON.parse(decode(bytes))
  } catch (cause) {
    throw cause instanceof AuthError ? cause : new AuthError('form_malformed', { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new AuthError('form_malformed')
  return Object.entries(value).flatMap(([name, field]): Fields => {
    // As in other form encodings: a lone surrogate can't be stored or be part of a URL.
    if (typeof field === 'string') return [[name.toWellFormed(), field.toWellFormed()]]
    if (field === true) return [[name, 'on']]
    if (field === false || field === null) return []
    throw new AuthError('form_malformed')
  })
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new AuthError('form_malformed', { cause })
  }
}

/** Reads a body with a declared length in one go: HTTP ends it there (RFC 9112 section 6.3). */
async function readWholeBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = new Uint8Array(await request.arrayBuffer())
    if (bytes.byteLength > MAX_BYTES) throw new AuthError('form_too_large')
    return bytes
  } catch (cause) {
    throw cause instanceof AuthError ? cause : new AuthError('form_malformed', { cause })
  }
}

/** Returns a request's body, at most 128 KiB. @throws {AuthError} `form_too_large`, `form_malformed` */
export async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.headers.get('content-length') ?? ''
  if (Number(declared) > MAX_BYTES) throw new AuthError('form_too_large')
  if (/^\d+$/.test(declared)) return readWholeBody(request)
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  const stream: ReadableStream<Uint8Array> = request.body
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength
      if (size > MAX_BYTES) throw new AuthError('form_too_large')
      chunks.push(chunk)
    }
  } catch (cause) {
    throw cause instanceof AuthError ? cause : new AuthError('form_malformed', { cause })
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * Returns a form for legacy XHR mode (reference, section 4.1.2). Never contains password values, whatever the settings.
 */
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
