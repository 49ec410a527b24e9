type Open = (sealed: string, id: string) => string | null

/** Sessions whose data is kept open, about a kilobyte each: whoever asks once, asks again. */
const MAX = 1_000
/** Characters. Visitors without an account can make a session larger, but not what is remembered. */
const LONGEST = 8_192

/**
 * Remembers what was opened last, since opening costs as much as reading the row: a client asks for the same session
 * many times before it changes. What is sealed otherwise is opened anew, so nothing old is ever answered.
 */
export function rememberOpened(open: Open, max: number = MAX): Open {
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
