/** Untrusted JSON, read field by field: every reader yields `undefined` for what is missing or of another type. */
export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const object = (value: unknown): Json | undefined => (isObject(value) ? value : undefined)

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** A text that says something: not empty, not only blanks. */
export const filled = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** A number, also written as text; DingTalk is not strict about it. */
export function number(value: unknown): number | undefined {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined
}

/** An object, also one that was sent as JSON text. */
export const objectOrJson = (value: unknown): Json | undefined =>
  object(typeof value === 'string' ? parseJson(value) : value)

/** The text as JSON; `undefined` when it is none. */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    return undefined // no JSON value is `undefined`
  }
}
