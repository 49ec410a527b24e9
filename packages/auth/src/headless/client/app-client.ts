import { appTokens, type AppTokens, type TokenName, type Tokens, type TokenStorage } from './app-tokens.ts'
import {
  type AuthenticationEvents,
  type AuthenticationTracker,
  reportsSignedOut,
  trackAuthentication,
} from './authentication.ts'
import { ClientError, methods, isReading, send, type AnyAnswer, type Fetch, type Transport } from './transport.ts'
import type { OperationName, Operations } from './operations.ts'

/** A client of the JSON API for apps, which uses tokens instead of cookies. */
export interface AppClient extends Operations<'app'>, AuthenticationEvents {
  /** Returns an access token for other services, refreshing it if needed; `null` if signed out or access tokens are off. */
  accessToken(): Promise<string | null>
  /** Deletes the tokens on this device. Doesn't end the session; use `logout` for that. */
  forget(): Promise<void>
}

/** Options of `appClient`. */
export interface AppClientOptions {
  /** URL of the API, e.g. `https://id.example.org/_allauth`. */
  readonly baseUrl: string
  readonly storage: TokenStorage
  /** `HEADLESS_JWT_AUTHORIZATION_HEADER_SCHEME` of the server. Default `Bearer`. */
  readonly authorizationScheme?: string
  readonly fetch?: Fetch
  /** Returns the time in milliseconds since the Unix epoch. Default: the device's clock. */
  readonly now?: () => number
}

interface App {
  readonly transport: Transport
  readonly tokens: AppTokens
  readonly tracker: AuthenticationTracker
  readonly authorizationScheme: string
  /** The current refresh. Only one runs at a time, because a refresh token works only once. */
  refreshing: Promise<boolean> | null
  /** How many times the tokens were cleared. Responses to earlier requests don't restore them. */
  clearCount: number
}

/** Creates a client of the JSON API for apps. */
export function appClient({
  baseUrl,
  storage,
  fetch,
  now = Date.now,
  authorizationScheme = 'Bearer',
}: AppClientOptions): AppClient {
  const app: App = {
    transport: { client: 'app', baseUrl, fetch },
    tokens: appTokens(storage, now),
    tracker: trackAuthentication(),
    authorizationScheme,
    refreshing: null,
    clearCount: 0,
  }
  const { authentication, onChange } = app.tracker
  return {
    ...methods('app', (name, input) => call(app, name, input)),
    authentication,
    onChange,
    async accessToken() {
      await refreshIfExpired(app, (tokens) => tokens.refresh_token !== null)
      return (await app.tokens.load()).access_token
    },
    async forget() {
      await clearTokens(app)
      app.tracker.reset()
    },
  }
}

async function call(app: App, name: OperationName, input?: Readonly<Record<string, unknown>>): Promise<AnyAnswer> {
  if (name === 'refreshTokens') return refreshManually(app, input)
  await refreshIfExpired(app)
  const first = await attempt(app, name, input)
  if (first.isRefused) app.tokens.markExpired()
  const goesOn = first.isReplaced || (first.isRefused && (await refreshIfExpired(app)))
  // The refused request may have run unauthenticated, so only reads are retried.
  if (goesOn && (first.isReplaced || isReading(name))) {
    const again = await attempt(app, name, input)
    again.report(again.answer)
    return again.answer
  }
  if (!goesOn) first.report(first.answer)
  return first.answer
}

async function clearTokens(app: App): Promise<void> {
  app.clearCount += 1
  await app.tokens.clear()
}

interface Attempt {
  readonly answer: AnyAnswer
  /** The response is for a signed-out visitor although an access token was sent. */
  readonly isRefused: boolean
  /** The session has ended, and another window has stored the tokens of a newer one. */
  readonly isReplaced: boolean
  readonly report: (answer: AnyAnswer) => void
}

async function attempt(
  app: App,
  name: OperationName,
  input: Readonly<Record<string, unknown>> | undefined,
): Promise<Attempt> {
  const sent = await app.tokens.load()
  const { clearCount } = app
  const report = app.tracker.begin(name)
  const answer = await send(app.transport, name, input, credentials(app, sent))
  const isReplaced = answer.status === 410 && (await app.tokens.takeOthers(sent))
  if (!isReplaced && clearCount === app.clearCount) await saveTokens(app, name, answer, sent)
  const isRefused = isBearer(sent) && answer.status === 401 && name !== 'logout' && reportsSignedOut(name, answer)
  return { answer, isRefused, isReplaced, report }
}

/**
 * Returns whether the access token identifies the session. It does if there's a refresh token, unless there's also a
 * session token, which is then newer. Without a refresh token, the access token is only for other services.
 */
const isBearer = ({ session_token, refresh_token }: Tokens): boolean => session_token === null && refresh_token !== null

function credentials({ authorizationScheme }: App, tokens: Tokens): Readonly<Record<string, string>> {
  if (isBearer(tokens)) return { Authorization: `${authorizationScheme} ${tokens.access_token ?? ''}` }
  return tokens.session_token === null ? {} : { 'X-Session-Token': tokens.session_token }
}

async function saveTokens(app: App, name: OperationName, { status, meta }: AnyAnswer, sent: Tokens): Promise<void> {
  const held = await app.tokens.load()
  if (status === 410 || (name === 'logout' && status === 401)) {
    // Keep the tokens that another request has received meanwhile.
    if (JSON.stringify(held) === JSON.stringify(sent)) await clearTokens(app)
    return
  }
  const session = toStringOrNull(meta?.['session_token'])
  const access = toStringOrNull(meta?.['access_token'])
  const refresh = toStringOrNull(meta?.['refresh_token'])
  if (access !== null) {
    const session_token = refresh === null ? (session ?? held.session_token) : null
    await app.tokens.change({ access_token: access, refresh_token: refresh, session_token })
  } else if (session !== null) {
    // The session token has changed, so the access token may no longer be valid.
    await app.tokens.change({ session_token: session })
    app.tokens.markExpired()
  }
}

const toStringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Refreshes an expired access token if it's `wanted`. @returns whether there is a valid one */
async function refreshIfExpired(app: App, wanted: (tokens: Tokens) => boolean = isBearer): Promise<boolean> {
  if (!wanted(await app.tokens.load())) return false
  if (!app.tokens.isExpired()) return true
  app.refreshing ??= withRefreshLock(app, () => refresh(app)).finally(() => {
    app.refreshing = null
  })
  return app.refreshing
}

/**
 * Runs `work` while no other window refreshes. If two windows used the same refresh token, it would look stolen.
 * @see W3C, "Web Locks API"
 */
function withRefreshLock({ transport }: App, work: () => Promise<boolean>): Promise<boolean> {
  const { navigator } = globalThis as { readonly navigator?: { readonly locks?: Locks } } // exists in secure contexts
  return navigator?.locks?.request(`tokens of ${transport.baseUrl}`, work) ?? work()
}

interface Locks {
  request(name: string, work: () => Promise<boolean>): Promise<boolean>
}

async function refresh(app: App): Promise<boolean> {
  const before = await app.tokens.load()
  // Another window may have used the token in memory.
  const refresh_token = await app.tokens.stored('refresh_token')
  const answer = refresh_token === null ? null : await send(app.transport, 'refreshTokens', { refresh_token }, {})
  const held = await app.tokens.load()
  // A login or logout meanwhile takes precedence.
  if (held.refresh_token !== before.refresh_token) return isBearer(held)
  if (answer === null || answer.status === 400) {
    await app.tokens.change({ access_token: null, refresh_token: null })
    if ((await app.tokens.load()).session_token === null) app.tracker.reset()
    return false
  }
  if (answer.status !== 200) throw new ClientError('unexpected_answer', answer.status)
  await storeRefreshed(app, answer, refresh_token)
  return true
}

/** Handles an app's own call of `refreshTokens`. If it used this client's token, stores the new one. */
async function refreshManually(app: App, input: Readonly<Record<string, unknown>> | undefined): Promise<AnyAnswer> {
  const answer = await send(app.transport, 'refreshTokens', input, {})
  const { refresh_token } = await app.tokens.load()
  if (answer.status === 200 && refresh_token !== null && input?.['refresh_token'] === refresh_token) {
    await storeRefreshed(app, answer, refresh_token)
  }
  return answer
}

async function storeRefreshed(app: App, { data }: AnyAnswer, refresh_token: string | null): Promise<void> {
  const fresh = (data ?? {}) as Partial<Record<TokenName, string>> // as described in the API
  await app.tokens.change({
    access_token: fresh.access_token ?? null,
    refresh_token: fresh.refresh_token ?? refresh_token,
  })
}
