import { isRecord, parseJson } from '../kit/body.ts'
import type { Upload } from './body.ts'
import { badRequest } from './failure.ts'

/** Reads the parameters of a call the way the platform does: a form may give any value as text. */
export class Parameters {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly files: ReadonlyMap<string, Upload>

  constructor(fields: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, Upload>) {
    this.#fields = fields
    this.files = files
  }

  /** Text; a number or a boolean counts as its text. Missing is ''. */
  text(name: string): string {
    const value = this.#fields[name]
    if (typeof value === 'string') return value
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
  }

  /** @throws {TelegramFailure} 400 when it is given and is no whole number. */
  integer(name: string): number | undefined {
    const value = this.#fields[name]
    if (value === undefined || value === null || value === '') return undefined
    const number = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value
    if (typeof number === 'number' && Number.isSafeInteger(number)) return number
    throw badRequest(`field "${name}" must be a valid Number`)
  }

  flag(name: string): boolean {
    const value = this.#fields[name]
    return value === true || value === 1 || (typeof value === 'string' && /^(true|yes|1)$/i.test(value))
  }

  /** An object, also as JSON text. @throws {TelegramFailure} 400 when it is given and is none. */
  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#json(name)
    if (value === undefined || isRecord(value)) return value
    throw badRequest(`can't parse ${name}: object expected as ${name}`)
  }

  /** An array, also as JSON text. @throws {TelegramFailure} 400 when it is given and is none. */
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
