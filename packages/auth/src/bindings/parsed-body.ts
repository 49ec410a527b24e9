/** A body as it could have come over the wire. */
export interface ParsedBody {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly contentType: string
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * Writes down again what a body parser has left.
 * @param contentType Of the request: says which parser it was.
 * @returns `null`: there is nothing; `unreadable`: the client sent what cannot be written down
 */
export function parsedBody(parsed: unknown, contentType: string): ParsedBody | 'unreadable' | null {
  if (parsed === undefined) return null
  if (typeof parsed === 'string') return { body: parsed, contentType }
  if (parsed instanceof Uint8Array) return { body: new Uint8Array(parsed), contentType }
  try {
    if (/\bjson\b/i.test(contentType)) return { body: JSON.stringify(parsed), contentType }
    return { body: new URLSearchParams(fieldsOf(parsed)).toString(), contentType: FORM }
  } catch (error) {
    // Nested more deeply than the stack reaches.
    if (error instanceof RangeError) return 'unreadable'
    throw error
  }
}

const fieldsOf = (parsed: unknown): string[][] =>
  typeof parsed === 'object' && parsed !== null
    ? Object.entries(parsed).flatMap(([key, value]) => field(key, value))
    : []

/** `a=1&a=2` for a list, `a[b]=1` for what is nested. */
function field(name: string, value: unknown): string[][] {
  if (typeof value === 'string') return [[name, value]]
  if (typeof value === 'number' || typeof value === 'boolean') return [[name, String(value)]]
  if (Array.isArray(value)) return value.flatMap((each) => field(name, each))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => field(`${name}[${key}]`, inner))
}
