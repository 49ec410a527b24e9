/** Untrusted JSON, read field by field: every reader yields `undefined` for what is missing or of another type. */
export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const object = (value: unknown): Json | undefined => (isObject(value) ? value : undefined)

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** What of a list are objects. */
export const objects = (value: unknown): readonly Json[] => list(value).filter(isObject)

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** A text that says something: not empty, not only blanks. */
export const filled = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** An integer that a number holds exactly. */
export const integer = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined

/**
 * The text as JSON; `undefined` when it is none. An integer that no number holds exactly becomes the text of its
 * digits: some ids are 64 bits long.
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
