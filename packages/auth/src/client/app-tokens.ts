/** What an app keeps of its session. */
export type TokenName = 'session_token' | 'access_token' | 'refresh_token'

/** Where an app keeps its tokens: somewhere that other apps cannot read. `null` takes one away. */
export interface TokenStorage {
  get(name: TokenName): string | null | Promise<string | null>
  set(name: TokenName, value: string | null): void | Promise<void>
}

/** Tokens as they are now. */
export type Tokens = Readonly<Record<TokenName, string | null>>

const NAMES: readonly TokenName[] = ['session_token', 'access_token', 'refresh_token']
/** How long before its end an access token is taken for expired, in milliseconds. */
const LEEWAY_MS = 10_000

/** Tokens in memory over those that are stored. */
export interface AppTokens {
  load(): Promise<Tokens>
  change(changes: Partial<Tokens>): Promise<void>
  /** Whether the access token must be replaced before it is sent. One that is no JWT never says so. */
  isExpired(): boolean
  /** The server did not take it. */
  noteExpired(): void
  /** What another window has stored meanwhile. */
  stored(name: TokenName): Promise<string | null>
}

export function appTokens(storage: TokenStorage, now: () => number): AppTokens {
  let loading: Promise<void> | null = null
  const held: Record<TokenName, string | null> = { session_token: null, access_token: null, refresh_token: null }
  /** A token whose age is not known, as from a storage, is expired: clocks of devices are wrong too often. */
  let expiresAtMs = 0
  const loaded = async (): Promise<void> => {
    for (const name of NAMES) held[name] = (await storage.get(name)) ?? null
    if (held.access_token !== null && lifeOf(held.access_token) === null) expiresAtMs = Number.POSITIVE_INFINITY
  }
  const load = async (): Promise<Tokens> => {
    loading ??= loaded()
    await loading
    return { ...held }
  }
  return {
    load,
    async change(changes) {
      await load()
      for (const name of NAMES) {
        const value = changes[name]
        if (value === undefined || value === held[name]) continue
        held[name] = value
        if (name === 'access_token' && value !== null) {
          expiresAtMs = now() + (lifeOf(value) ?? Number.POSITIVE_INFINITY) - LEEWAY_MS
        }
        await storage.set(name, value)
      }
    },
    isExpired: () => now() >= expiresAtMs,
    noteExpired() {
      expiresAtMs = 0
    },
    stored: async (name) => (await storage.get(name)) ?? null,
  }
}

/** Milliseconds from its issue to its end; `null`: it does not say. @see RFC 7519 section 4.1 */
function lifeOf(token: string): number | null {
  try {
    const text = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    const { exp, iat } = JSON.parse(text) as { readonly exp?: unknown; readonly iat?: unknown } // a claim may be anything
    return typeof exp === 'number' && typeof iat === 'number' ? (exp - iat) * 1000 : null
  } catch {
    return null // no JWT: its end is seen when it is refused
  }
}
