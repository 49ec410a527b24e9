/** An untrusted JSON object. Its readers return `undefined` for a missing value or another type. */
export type Json = Readonly<Record<string, unknown>>

/** Returns whether a value is a JSON object. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a JSON object. */
export const object = (value: unknown): Json | undefined => (isObject(value) ? value : undefined)

/** Returns an array; empty for anything else. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the objects in an array. */
export const objects = (value: unknown): readonly Json[] => list(value).filter(isObject)

/** Returns a string. */
export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns a string that is not blank. */
export const filled = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** Returns a safe integer. */
export const integer = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined

/**
 * Parses JSON; `undefined` when it is invalid. An integer beyond the safe range becomes a string of its digits: some ids
 * are 64 bits long.
 */
export function parseJson(source: string): unknown {
  try {
    return /\d{16}/.test(source) ? parse(source, exactly) : JSON.parse(source)
  } catch {
    return undefined // no JSON value is `undefined`
  }
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const parse = JSON.parse as (source: string, reviver: Reviver) => unknown // the library's types lack the context

function exactly(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context.source ?? ''
  return /^-?\d+$/.test(source) ? source : value
}
