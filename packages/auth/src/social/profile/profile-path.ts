import { isRecord } from '../../kernel/settings/kind.ts'

/**
 * Returns the value at a path of a profile.
 * @param path Names joined by `.`, with `[0]` for an index: `response.players[0].steamid`. Empty for the whole profile.
 */
export function valueAt(profile: unknown, path: string): unknown {
  let found = profile
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (name === undefined) found = Array.isArray(found) ? found[Number(index)] : undefined
    else found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return found
}

/** Returns the first nonempty text or number at these paths, as text; empty if there is none. */
export function textAt(profile: unknown, ...paths: readonly string[]): string {
  for (const path of paths) {
    const value = valueAt(profile, path)
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  }
  return ''
}
