/** Untrusted JSON, read field by field: every reader yields `undefined` for what is missing or of another type. */
export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const object = (value: unknown): Json | undefined => (isObject(value) ? value : undefined)

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Protocol buffers write an unset text as an empty one: it counts as missing. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** An integer that a number holds exactly, also where it is written as a text of digits. */
export function integer(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

/** A uint64 id as its exact digits; 0 means that there is none. */
export function id(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined
  return typeof value === 'string' && /^[1-9]\d{0,19}$/.test(value) ? value : undefined
}

/**
 * The text as JSON; `undefined` when it is none. An integer that no number holds exactly becomes the text of its
 * digits: ids are 64 bits long.
 */
export function parseJson(source: string): unknown {
  try {
    return parse(source, exactly)
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
