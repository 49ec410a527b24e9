/** What an app keeps of its session. */
export type TokenName = 'session_token' | 'access_token' | 'refresh_token'

/** Where an app keeps its tokens: somewhere that other apps cannot read. `null` takes one away. */
export interface TokenStorage {
  get(name: TokenName): string | null | Promise<string | null>
  set(name: TokenName, value: string | null): void | Promise<void>
}

/** Tokens as they are now. */
export type Tokens = Readonly<Record<TokenName, string | null>>

/** In the order in which they are stored: a refresh token counts once, so the next one must not get lost. */
const NAMES: readonly TokenName[] = ['refresh_token', 'session_token', 'access_token']
/** How long before its end an access token is taken for expired, in milliseconds. */
const LEEWAY_MS = 10_000

/** Tokens in memory over those that are stored. */
export interface AppTokens {
  load(): Promise<Tokens>
  /** What could not be stored counts here, and is stored with the next change. */
  change(changes: Partial<Tokens>): Promise<void>
  /** Takes all away, also those that another window has stored. */
  clear(): Promise<void>
  /** Takes what another window has stored in place of `sent`. @returns whether there is any */
  takeOthers(sent: Tokens): Promise<boolean>
  /** Whether the access token must be replaced before it is sent. One that is no JWT never says so. */
  isExpired(): boolean
  /** The server did not take it. */
  markExpired(): void
  /** What is stored now, maybe by another window. */
  stored(name: TokenName): Promise<string | null>
}

/** The tokens of one client. @param now Milliseconds. */
export function appTokens(storage: TokenStorage, now: () => number): AppTokens {
  let loading: Promise<void> | null = null
  const held: Held = { session_token: null, access_token: null, refresh_token: null }
  const kept = createKeeper(storage, held)
  /** A token whose age is not known, as from a storage, is expired: clocks of devices are wrong too often. */
  let expiresAtMs = 0
  const take = (tokens: Tokens): void => {
    Object.assign(held, tokens)
    const isOpaque = held.access_token !== null && tokenLifetimeMs(held.access_token) === null
    expiresAtMs = isOpaque ? Number.POSITIVE_INFINITY : 0
  }
  const load = async (): Promise<Tokens> => {
    loading ??= readAll(storage).then(take, (error: unknown) => {
      loading = null // the next request tries again
      throw error
    })
    await loading
    return { ...held }
  }
  return {
    load,
    async change(changes) {
      await load()
      const changed = NAMES.filter((name) => changes[name] !== undefined && changes[name] !== held[name])
      Object.assign(held, changes)
      if (changed.includes('access_token') && held.access_token !== null) {
        expiresAtMs = now() + (tokenLifetimeMs(held.access_token) ?? Number.POSITIVE_INFINITY) - LEEWAY_MS
      }
      await kept.save(changed)
    },
    async clear() {
      await load()
      Object.assign(held, { session_token: null, access_token: null, refresh_token: null })
      await kept.save(NAMES)
    },
    async takeOthers(sent) {
      if (!(await kept.isSaved())) return false
      const others = await readAll(storage)
      if (others.session_token === null && others.refresh_token === null) return false
      if (NAMES.every((name) => others[name] === sent[name])) return false
      take(others)
      return true
    },
    isExpired: () => now() >= expiresAtMs,
    markExpired() {
      expiresAtMs = 0
    },
    stored: async (name) => ((await kept.isSaved()) ? read(storage, name) : held[name]),
  }
}

type Held = Record<TokenName, string | null>

const read = async (storage: TokenStorage, name: TokenName): Promise<string | null> => (await storage.get(name)) ?? null

const readAll = async (storage: TokenStorage): Promise<Tokens> => ({
  session_token: await read(storage, 'session_token'),
  access_token: await read(storage, 'access_token'),
  refresh_token: await read(storage, 'refresh_token'),
})

interface Keeper {
  /** Stores what is held under these names, and what could not be stored before. */
  save(names: readonly TokenName[]): Promise<void>
  /** Whether everything is stored, once what is under way has ended. */
  isSaved(): Promise<boolean>
}

/** Stores what is `held`, one change after the other, so that the newest is what stays. */
function createKeeper(storage: TokenStorage, held: Tokens): Keeper {
  let saving: Promise<unknown> = Promise.resolve()
  const unsaved = new Set<TokenName>()
  const write = async (): Promise<void> => {
    for (const name of NAMES) {
      if (!unsaved.delete(name)) continue
      try {
        await storage.set(name, held[name])
      } catch (error) {
        unsaved.add(name)
        throw error
      }
    }
  }
  return {
    save(names) {
      for (const name of names) unsaved.add(name)
      const saved = saving.then(write)
      saving = saved.catch(() => null) // the error goes to the caller whose change it was
      return saved
    },
    async isSaved() {
      await saving
      return unsaved.size === 0
    },
  }
}

/** Milliseconds from its issue to its end; `null`: it does not say. @see RFC 7519 section 4.1 */
function tokenLifetimeMs(token: string): number | null {
  try {
    const text = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    const { exp, iat } = JSON.parse(text) as { readonly exp?: unknown; readonly iat?: unknown } // a claim may be anything
    return typeof exp === 'number' && typeof iat === 'number' ? (exp - iat) * 1000 : null
  } catch {
    return null // no JWT: its end is seen when it is refused
  }
}
