import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'

/** Characters of one text, members of one object or list, and levels that are kept. */
const LONGEST_TEXT = 10_000
const MOST_MEMBERS = 500
const DEEPEST = 12
/** Characters of JSON. */
const LARGEST = 100_000

/** Text of a stranger that a database takes: without NUL and lone surrogates, cut to `max` characters. */
export function cleanText(text: string, max: number): string {
  const clean = text.replaceAll('\0', '').toWellFormed()
  return clean.length <= max ? clean : Array.from(clean).slice(0, max).join('')
}

/** A profile as it is stored: what is too long, too deep or too much is cut; one that is too large has its texts alone. */
export function cleanProfile(profile: JsonObject): JsonObject {
  const clean = cleanObject(profile, 0)
  if (JSON.stringify(clean).length <= LARGEST) return clean
  const short = Object.entries(clean).filter(([, value]) => isShort(value))
  return Object.fromEntries(short)
}

const isShort = (value: unknown): boolean =>
  typeof value === 'string' ? value.length <= 200 : typeof value === 'number' || typeof value === 'boolean'

function cleanObject(value: JsonObject, depth: number): JsonObject {
  const members = Object.entries(value).slice(0, MOST_MEMBERS)
  return Object.fromEntries(members.map(([name, member]) => [cleanText(name, 200), cleanValue(member, depth + 1)]))
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value, LONGEST_TEXT)
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (depth > DEEPEST) return null
  if (Array.isArray(value)) return value.slice(0, MOST_MEMBERS).map((item) => cleanValue(item, depth + 1))
  return isRecord(value) ? cleanObject(value, depth) : null
}
