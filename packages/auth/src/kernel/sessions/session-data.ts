/** A session's values by key, with the changes that this request has made. */
export interface SessionData {
  get(key: string): unknown
  set(key: string, value: unknown): void
  delete(key: string): void
  isEmpty(): boolean
  /** Returns whether any value has changed since the last `markWritten`. */
  isChanged(): boolean
  /** Returns all values as JSON to store, or `null` if there are none. */
  json(): string | null
  /**
   * Replaces the stored values with those of another request, keeping the changes made here.
   * @param json The stored JSON.
   */
  rebase(json: string | null): void
  /** Discards all values and changes. */
  clear(): void
  /** Marks the current values as written. */
  markWritten(): void
  /** Returns a function that restores the current values and changes. */
  checkpoint(): () => void
}

/** Creates session data. @param read Returns the stored JSON. Called when a value is first used. */
export function sessionData(read: () => string | null): SessionData {
  let base: Map<string, unknown> | null = null
  /**
   * Changes by key; `undefined` for a deleted one. Kept after writing, because they may have to be merged into another
   * request's values.
   */
  const own = new Map<string, unknown>()
  let changed = false
  const values = (): Map<string, unknown> => (base ??= parse(read()))
  const get = (key: string): unknown => (own.has(key) ? own.get(key) : values().get(key))
  const all = (): Map<string, unknown> => {
    const merged = new Map([...values(), ...own])
    for (const [key, value] of merged) if (value === undefined) merged.delete(key)
    return merged
  }
  const set = (key: string, value: unknown): void => {
    const before = get(key)
    own.set(key, value)
    if (
      before === undefined || value === undefined ? before !== value : JSON.stringify(before) !== JSON.stringify(value)
    ) {
      changed = true
    }
  }
  return {
    get,
    set: (key, value) => set(key, cloneJson(value)),
    delete: (key) => set(key, undefined),
    isEmpty: () => all().size === 0,
    isChanged: () => changed,
    json() {
      const merged = all()
      return merged.size === 0 ? null : JSON.stringify(Object.fromEntries(merged))
    },
    rebase: (json) => void (base = parse(json)),
    clear() {
      base = new Map()
      own.clear()
      changed = false
    },
    markWritten: () => void (changed = false),
    checkpoint() {
      const before = { base, own: [...own], changed }
      return () => {
        own.clear()
        for (const [key, value] of before.own) own.set(key, value)
        base = before.base
        changed = before.changed
      }
    },
  }
}

/** Returns a copy as it would be read back, so that later changes to the caller's object have no effect. */
function cloneJson(value: unknown): unknown {
  if (value === undefined) return undefined
  const copy: unknown = JSON.parse(JSON.stringify(value))
  return copy
}

function parse(json: string | null): Map<string, unknown> {
  if (json === null) return new Map()
  const values: unknown = JSON.parse(json)
  return new Map(typeof values === 'object' && values !== null ? Object.entries(values) : [])
}
