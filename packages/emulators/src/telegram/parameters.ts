import { isRecord, parseJson, splitForm } from '../kit/http.ts'
import { badRequest, TelegramFailure } from './failure.ts'

/** Parses the parameters of a call like the platform: any value can be text. */
export class Parameters {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly files: ReadonlyMap<string, Upload>

  constructor(fields: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, Upload>) {
    this.#fields = fields
    this.files = files
  }

  /** Returns a text, also from a number or boolean; '' when missing. */
  text(name: string): string {
    const value = this.#fields[name]
    if (typeof value === 'string') return value
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
  }

  /** Returns an integer, if present. @throws {TelegramFailure} 400 when it isn't one */
  integer(name: string): number | undefined {
    const value = this.#fields[name]
    if (value === undefined || value === null || value === '') return undefined
    const number = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value
    if (typeof number === 'number' && Number.isSafeInteger(number)) return number
    throw badRequest(`field "${name}" must be a valid Number`)
  }

  /** Returns a boolean; false when missing. */
  flag(name: string): boolean {
    const value = this.#fields[name]
    return value === true || value === 1 || (typeof value === 'string' && /^(true|yes|1)$/i.test(value))
  }

  /** Returns an object, also from JSON text, if present. @throws {TelegramFailure} 400 when it isn't one */
  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#json(name)
    if (value === undefined || isRecord(value)) return value
    throw badRequest(`can't parse ${name}: object expected as ${name}`)
  }

  /** Returns an array, also from JSON text, if present. @throws {TelegramFailure} 400 when it isn't one */
  array(name: string): readonly unknown[] | undefined {
    const value = this.#json(name)
    if (value === undefined || Array.isArray(value)) return value
    throw badRequest(`can't parse ${name}: expected an Array`)
  }

  #json(name: string): unknown {
    const value = this.#fields[name]
    if (value === null || value === '') return undefined
    if (typeof value !== 'string') return value
    const parsed = parseJson(value)
    if (parsed === undefined) throw badRequest(`can't parse ${name} JSON object`)
    return parsed
  }
}

/** A file part of a multipart form. */
export interface Upload {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** Parameters of a call, from query and body. Form fields are text. */
interface CallBody {
  readonly fields: Readonly<Record<string, unknown>>
  readonly files: ReadonlyMap<string, Upload>
  /** The body as recorded; for files only names and sizes. */
  readonly raw: string
}

/** Parses a body. @throws {TelegramFailure} 400 when it doesn't match its content type */
export function parseBody(bytes: Buffer, contentType: string, query: URLSearchParams | null): CallBody {
  const fields: Record<string, unknown> = query ? Object.fromEntries(query) : {}
  if (bytes.length === 0) return { fields, files: NO_FILES, raw: '' }
  if (contentType.startsWith('multipart/form-data')) return parseForm(bytes, contentType, fields)
  const raw = bytes.toString('utf8')
  if (contentType.startsWith('application/json')) {
    return { fields: { ...fields, ...parseObject(raw) }, files: NO_FILES, raw }
  }
  return { fields: { ...fields, ...Object.fromEntries(new URLSearchParams(raw)) }, files: NO_FILES, raw }
}

const NO_FILES: ReadonlyMap<string, Upload> = new Map()

function parseObject(raw: string): Readonly<Record<string, unknown>> {
  const value = parseJson(raw)
  if (isRecord(value)) return value
  throw new TelegramFailure(400, "Bad Request: can't parse request body: object expected")
}

function parseForm(bytes: Buffer, contentType: string, fields: Record<string, unknown>): CallBody {
  const files = new Map<string, Upload>()
  const shown: Record<string, unknown> = {}
  const parts = splitForm(bytes, contentType)
  if (!parts) throw new TelegramFailure(400, "Bad Request: can't parse multipart form")
  for (const { name, fileName, mimeType, bytes: content } of parts) {
    if (fileName === null) {
      fields[name] = Buffer.from(content).toString('utf8')
      shown[name] = fields[name]
    } else {
      files.set(name, { name: fileName, mimeType, bytes: content })
      shown[name] = { file: fileName, bytes: content.length }
    }
  }
  return { fields, files, raw: JSON.stringify(shown) }
}
