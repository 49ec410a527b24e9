type Open = (sealed: string, id: string) => string | null

/** Maximum number of cached sessions, about a kilobyte each: clients that made one request make more. */
const MAX = 1_000
/** Characters. Visitors without an account can make a session larger, but not what is remembered. */
const LONGEST = 8_192

/**
 * Caches opened session data, since opening costs as much as reading the row and clients read a session many times
 * before it changes. Keyed by the sealed text, so it is never stale.
 */
export function cacheOpened(open: Open, max: number = MAX): Open {
  const known = new Map<string, { readonly sealed: string; readonly json: string }>()
  return (sealed, id) => {
    const remembered = known.get(id)
    if (remembered?.sealed === sealed) return remembered.json
    const json = open(sealed, id)
    known.delete(id)
    if (json === null || sealed.length > LONGEST) return json
    const oldest = known.size >= max ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    known.set(id, { sealed, json })
    return json
  }
}
