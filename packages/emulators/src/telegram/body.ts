import { isRecord, parseJson } from '../kit/body.ts'
import { TelegramFailure } from './failure.ts'
import { splitForm } from '../kit/multipart.ts'

/** A file part of a multipart form. */
export interface Upload {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** The parameters of one call, from query and body; form fields are text, JSON values are what they are. */
export interface CallBody {
  readonly fields: Readonly<Record<string, unknown>>
  readonly files: ReadonlyMap<string, Upload>
  /** The body as text, for the record; of a form with files their names and sizes only. */
  readonly raw: string
}

/** @throws {TelegramFailure} 400 for a body that is not what its content type says. */
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
