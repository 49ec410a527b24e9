/** Values of a session by key, with what this request has changed of them. */
export interface SessionData {
  get(key: string): unknown
  set(key: string, value: unknown): void
  delete(key: string): void
  isEmpty(): boolean
  /** Whether anything was changed since it was last taken for written. */
  isChanged(): boolean
  /** Of everything, as it is stored; `null`: empty. */
  json(): string | null
  /** Takes the values of another request instead of those read; changes made here stay. @param json As stored. */
  rebase(json: string | null): void
  /** Forgets everything, changes too. */
  clear(): void
  /** What is there now is written. */
  markWritten(): void
  /** Answers what brings back the values, and the changes, of now. */
  checkpoint(): () => void
}

/** @param read Answers what is stored, at the first use of a value. */
export function sessionData(read: () => string | null): SessionData {
  let base: Map<string, unknown> | null = null
  /** `undefined`: deleted. Kept after writing: it may be merged into another's. */
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

/** As it would be read again: what a caller changes later of a value that it has set does not count. */
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
