import { fromJson, isRecord, type Kind } from './kind.ts'

/** An object that the module itself parses. */
export type JsonObject = Readonly<Record<string, unknown>>

const DEEPEST = 12

/** Returns a deep copy, or `undefined` if the value is nested too deeply, which includes cycles. */
function copyJson(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return undefined
  if (Array.isArray(value)) return copyEach(value, depth, (items) => items)
  if (!isRecord(value)) return value
  const keys = Object.keys(value)
  return copyEach(Object.values(value), depth, (items) =>
    Object.fromEntries(items.map((item, at) => [keys[at] ?? '', item])),
  )
}

function copyEach(values: readonly unknown[], depth: number, build: (items: readonly unknown[]) => unknown): unknown {
  const items: unknown[] = []
  for (const value of values) {
    const copied = copyJson(value, depth + 1)
    if (copied === undefined && value !== undefined) return undefined
    items.push(copied)
  }
  return build(items)
}

/** An object whose values are objects. */
export const jsonObject: Kind<JsonObject> = {
  type: 'an object of objects',
  example: { github: { APP: { client_id: 'id', secret: 'a-secret' } } },
  fromText: fromJson,
  read(value) {
    if (!isRecord(value) || !Object.values(value).every(isRecord)) return { problem: 'must be an object of objects' }
    const copied = copyJson(value, 0)
    return isRecord(copied) ? { value: copied } : { problem: `must not be nested deeper than ${DEEPEST} levels` }
  },
}
