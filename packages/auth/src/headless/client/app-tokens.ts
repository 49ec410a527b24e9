/** The name of a token that an app stores. */
export type TokenName = 'session_token' | 'access_token' | 'refresh_token'

/** Where an app stores its tokens. Other apps must not be able to read it. Setting `null` deletes a token. */
export interface TokenStorage {
  get(name: TokenName): string | null | Promise<string | null>
  set(name: TokenName, value: string | null): void | Promise<void>
}

/** The current tokens. */
export type Tokens = Readonly<Record<TokenName, string | null>>

/**
 * The order in which tokens are stored. The refresh token comes first, since losing a new one would end the session.
 */
const NAMES: readonly TokenName[] = ['refresh_token', 'session_token', 'access_token']
/** How long before its expiry an access token counts as expired, in milliseconds. */
const LEEWAY_MS = 10_000

/** The tokens in memory, backed by the storage. */
export interface AppTokens {
  load(): Promise<Tokens>
  /** Changes tokens. A change that can't be stored stays in memory and is stored with the next one. */
  change(changes: Partial<Tokens>): Promise<void>
  /** Deletes all tokens, including those that another window has stored. */
  clear(): Promise<void>
  /** Loads the tokens that another window has stored, if they differ from `sent`. @returns whether there are any */
  takeOthers(sent: Tokens): Promise<boolean>
  /** Returns whether the access token must be refreshed before it's sent. Never the case for one that isn't a JWT. */
  isExpired(): boolean
  /** Marks the access token as expired, after the server rejected it. */
  markExpired(): void
  /** Returns a stored token, possibly from another window. */
  stored(name: TokenName): Promise<string | null>
}

/** Creates the tokens of a client. @param now Returns the time in milliseconds. */
export function appTokens(storage: TokenStorage, now: () => number): AppTokens {
  let loading: Promise<void> | null = null
  const held: Held = { session_token: null, access_token: null, refresh_token: null }
  const writer = createTokenWriter(storage, held)
  /** A token from the storage, whose age is unknown, counts as expired, because device clocks are often wrong. */
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
      await writer.save(changed)
    },
    async clear() {
      await load()
      Object.assign(held, { session_token: null, access_token: null, refresh_token: null })
      await writer.save(NAMES)
    },
    async takeOthers(sent) {
      if (!(await writer.isSaved())) return false
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
    stored: async (name) => ((await writer.isSaved()) ? read(storage, name) : held[name]),
  }
}

type Held = Record<TokenName, string | null>

const read = async (storage: TokenStorage, name: TokenName): Promise<string | null> => (await storage.get(name)) ?? null

const readAll = async (storage: TokenStorage): Promise<Tokens> => ({
  session_token: await read(storage, 'session_token'),
  access_token: await read(storage, 'access_token'),
  refresh_token: await read(storage, 'refresh_token'),
})

interface TokenWriter {
  /** Stores these tokens, and those that couldn't be stored before. */
  save(names: readonly TokenName[]): Promise<void>
  /** Returns whether everything is stored, after waiting for pending writes. */
  isSaved(): Promise<boolean>
}

/** Creates a writer that stores the tokens in memory, one change at a time, so that the latest wins. */
function createTokenWriter(storage: TokenStorage, held: Tokens): TokenWriter {
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

/** Returns a token's lifetime in milliseconds, or `null` if it's unknown. @see RFC 7519 section 4.1 */
function tokenLifetimeMs(token: string): number | null {
  try {
    const text = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    const { exp, iat } = JSON.parse(text) as { readonly exp?: unknown; readonly iat?: unknown } // a claim may be anything
    return typeof exp === 'number' && typeof iat === 'number' ? (exp - iat) * 1000 : null
  } catch {
    return null // not a JWT: its expiry shows when it's refused
  }
}
