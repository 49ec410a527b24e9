import type { AuthOptions } from '../../../options.ts'
import type { AuthTables } from '../../../kernel/schema/tables.ts'
import { parseResponseBody } from '../../../testing/api-visitor.ts'
import { type AuthWorld, authWorld, ORIGIN } from '../../../testing/auth-world.ts'
import { checkAnswer } from '../../../testing/checked-answer.ts'
import { cookieJar } from '../../../testing/cookie-jar.ts'
import { type AppClient, appClient, type AppClientOptions } from '../app-client.ts'
import type { TokenName, TokenStorage } from '../app-tokens.ts'
import { type BrowserClient, browserClient } from '../browser-client.ts'
import type { Fetch } from '../transport.ts'

/** One request that a client has sent. */
export interface SentRequest {
  readonly method: string
  /** Path and query below `/_allauth/{client}/v1/`. */
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

/** An instance, and clients of it whose requests are recorded. */
export interface ClientWorld {
  readonly world: AuthWorld
  /** Every request since the last `take`. */
  take(): readonly SentRequest[]
  /** Answers the next request for `path` in place of the server. */
  intercept(path: string, answer: () => Promise<Response>): void
  browser(): BrowserClient & { readonly cookies: Map<string, string> }
  app(storage?: MemoryStorage, more?: Partial<AppClientOptions>): AppClient & { readonly storage: MemoryStorage }
  close(): Promise<void>
}

/** Tokens in memory. */
export interface MemoryStorage extends TokenStorage {
  readonly tokens: Map<TokenName, string>
}

export function memoryStorage(): MemoryStorage {
  const tokens = new Map<TokenName, string>()
  return {
    tokens,
    get: async (name) => tokens.get(name) ?? null,
    async set(name, value) {
      if (value === null) tokens.delete(name)
      else tokens.set(name, value)
    },
  }
}

type Options = Omit<Partial<AuthOptions<AuthTables>>, 'database' | 'clock' | 'mail' | 'log'>

const BASE_URL = `${ORIGIN}/_allauth`

export async function clientWorld(options: Options = {}): Promise<ClientWorld> {
  const { headless, ...settings } = options.settings ?? {}
  const world = await authWorld({
    ...options,
    settings: {
      ...settings,
      account: { loginMethods: ['email'], ...settings.account },
      headless: { enabled: true, ...headless },
    },
  })
  let sent: SentRequest[] = []
  const interceptions = new Map<string, () => Promise<Response>>()
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, init)
    request.headers.set('host', new URL(ORIGIN).host)
    const path = url.replace(/^.*?\/v1\//, '')
    sent.push({
      method: request.method,
      path,
      headers: new Headers(request.headers),
      body: typeof init.body === 'string' ? init.body : '',
    })
    const interception = interceptions.get(path)
    interceptions.delete(path)
    const intercepted = await interception?.()
    if (intercepted !== undefined) return intercepted
    const response = await world.auth.fetch(request, { remoteAddress: '192.0.2.1' })
    const answer = {
      method: request.method,
      path,
      status: response.status,
      body: parseResponseBody(await response.clone().text()),
    }
    await checkAnswer(world.auth, { ...answer, client: url.includes('/app/v1/') ? 'app' : 'browser' })
    return response
  }
  return {
    world,
    take() {
      const taken = sent
      sent = []
      return taken
    },
    intercept: (path, answer) => void interceptions.set(path, answer),
    browser() {
      const jar = cookieJar()
      const client = browserClient({
        baseUrl: BASE_URL,
        readCookies: () => jar.header(),
        // What a browser does by itself.
        async fetch(url, init) {
          const headers = new Headers(init.headers)
          if (init.credentials === 'include' && jar.cookies.size > 0) headers.set('cookie', jar.header())
          const response = await fetch(url, { ...init, headers })
          jar.keep(response.headers)
          return response
        },
      })
      return { ...client, cookies: jar.cookies }
    },
    app: (storage = memoryStorage(), more = {}) => ({
      ...appClient({ baseUrl: `${BASE_URL}/`, storage, fetch, now: () => world.clock.now(), ...more }),
      storage,
    }),
    close: () => world.close(),
  }
}
