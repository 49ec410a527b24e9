import { SqlError } from './errors.ts'

/** A value that both databases accept as a parameter. */
export type Bindable = string | number | bigint | null | Uint8Array

/**
 * Returns a value that both databases store alike: text without NUL, finite numbers, bigints, bytes, `null`; booleans become 0 or 1.
 * @throws {SqlError} `value_invalid` for anything else; pass times as integer milliseconds and objects as JSON text
 */
export function toBindable(value: unknown): Bindable {
  switch (typeof value) {
    case 'string':
      if (value.includes('\0')) throw new SqlError('value_invalid', { reason: 'NUL in text' })
      return value
    case 'number':
      if (!Number.isFinite(value)) throw new SqlError('value_invalid', { reason: 'number not finite' })
      return value
    case 'bigint':
      return value
    case 'boolean':
      return value ? 1 : 0
    case 'object':
      if (value === null || value instanceof Uint8Array) return value
      throw new SqlError('value_invalid', { reason: value.constructor?.name ?? 'object' })
    default:
      throw new SqlError('value_invalid', { reason: typeof value })
  }
}
