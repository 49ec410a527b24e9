/** Untrusted JSON, read field by field: every reader yields `undefined` for what is missing or of another type. */
export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const object = (value: unknown): Json | undefined => (isObject(value) ? value : undefined)

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** What of a list are objects. */
export const objects = (value: unknown): readonly Json[] => list(value).filter(isObject)

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const integer = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined

/** One of Discord's ids: digits of an unsigned 64-bit number, always as text. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : undefined

/** The text as JSON; `undefined` when it is none. */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    return undefined // no JSON value is `undefined`
  }
}
