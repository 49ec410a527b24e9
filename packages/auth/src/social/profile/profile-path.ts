import { isRecord } from '../../kernel/settings/kind.ts'

/**
 * What is at a place of a profile.
 * @param path Names joined by `.`, with `[0]` for a place in a list: `response.players[0].steamid`. Empty: all of it.
 */
export function valueAt(profile: unknown, path: string): unknown {
  let found = profile
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (name === undefined) found = Array.isArray(found) ? found[Number(index)] : undefined
    else found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return found
}

/** The text or number at the first of these places that has one that is not empty; else empty. */
export function textAt(profile: unknown, ...paths: readonly string[]): string {
  for (const path of paths) {
    const value = valueAt(profile, path)
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  }
  return ''
}
