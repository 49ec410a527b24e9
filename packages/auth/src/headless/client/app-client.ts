import { appTokens, type AppTokens, type TokenName, type Tokens, type TokenStorage } from './app-tokens.ts'
import {
  type AuthenticationEvents,
  type AuthenticationTracker,
  reportsSignedOut,
  trackAuthentication,
} from './authentication.ts'
import { ClientError, methods, isReading, send, type AnyAnswer, type Fetch, type Transport } from './transport.ts'
import type { OperationName, Operations } from './operations.ts'

/** The JSON API for an app: tokens in place of cookies. */
export interface AppClient extends Operations<'app'>, AuthenticationEvents {
  /** Returns an access token for other services, refreshing it if needed; `null` if signed out or access tokens are off. */
  accessToken(): Promise<string | null>
  /** Forgets the tokens on this device; `logout` ends the session as well. */
  forget(): Promise<void>
}

/** Where the API is, and where tokens are kept. */
export interface AppClientOptions {
  /** E.g. `https://id.example.org/_allauth`. */
  readonly baseUrl: string
  readonly storage: TokenStorage
  /** `HEADLESS_JWT_AUTHORIZATION_HEADER_SCHEME` of the server. Default `Bearer`. */
  readonly authorizationScheme?: string
  readonly fetch?: Fetch
  /** Milliseconds; the clock of the device by default. */
  readonly now?: () => number
}

interface App {
  readonly transport: Transport
  readonly tokens: AppTokens
  readonly tracker: AuthenticationTracker
  readonly authorizationScheme: string
  /** One refresh at a time: a refresh token can be used once. */
  refreshing: Promise<boolean> | null
  /** How often tokens were forgotten: what was asked before brings none back. */
  forgotten: number
}

/** A client of an app. */
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
    forgotten: 0,
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
  const goesOn = first.isOfOthers || (first.isRefused && (await refreshIfExpired(app)))
  // The refused request may have run unauthenticated: only reads are retried.
  if (goesOn && (first.isOfOthers || isReading(name))) {
    const again = await attempt(app, name, input)
    again.heard(again.answer)
    return again.answer
  }
  if (!goesOn) first.heard(first.answer)
  return first.answer
}

async function clearTokens(app: App): Promise<void> {
  app.forgotten += 1
  await app.tokens.clear()
}

interface Attempt {
  readonly answer: AnyAnswer
  /** It is an answer to nobody, although an access token was sent. */
  readonly isRefused: boolean
  /** The session that it was sent for is over, and another window has stored the tokens of a newer one. */
  readonly isOfOthers: boolean
  readonly heard: (answer: AnyAnswer) => void
}

async function attempt(
  app: App,
  name: OperationName,
  input: Readonly<Record<string, unknown>> | undefined,
): Promise<Attempt> {
  const sent = await app.tokens.load()
  const { forgotten } = app
  const heard = app.tracker.begin(name)
  const answer = await send(app.transport, name, input, credentials(app, sent))
  const isOfOthers = answer.status === 410 && (await app.tokens.takeOthers(sent))
  if (!isOfOthers && forgotten === app.forgotten) await saveTokens(app, name, answer, sent)
  const isRefused = isBearer(sent) && answer.status === 401 && name !== 'logout' && reportsSignedOut(name, answer)
  return { answer, isRefused, isOfOthers, heard }
}

/**
 * With a refresh token the access token stands for the session, unless there is a token of the session itself, which is
 * newer then; without one it is for other services alone.
 */
const isBearer = ({ session_token, refresh_token }: Tokens): boolean => session_token === null && refresh_token !== null

function credentials({ authorizationScheme }: App, tokens: Tokens): Readonly<Record<string, string>> {
  if (isBearer(tokens)) return { Authorization: `${authorizationScheme} ${tokens.access_token ?? ''}` }
  return tokens.session_token === null ? {} : { 'X-Session-Token': tokens.session_token }
}

async function saveTokens(app: App, name: OperationName, { status, meta }: AnyAnswer, sent: Tokens): Promise<void> {
  const held = await app.tokens.load()
  if (status === 410 || (name === 'logout' && status === 401)) {
    // What another request got meanwhile stays.
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
    // The session has another token: access tokens of the one before may be over.
    await app.tokens.change({ session_token: session })
    app.tokens.markExpired()
  }
}

const toStringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Replaces an access token that has expired, where it is `wanted`. @returns whether there is a fresh one */
async function refreshIfExpired(app: App, wanted: (tokens: Tokens) => boolean = isBearer): Promise<boolean> {
  if (!wanted(await app.tokens.load())) return false
  if (!app.tokens.isExpired()) return true
  app.refreshing ??= withRefreshLock(app, () => refresh(app)).finally(() => {
    app.refreshing = null
  })
  return app.refreshing
}

/** Two windows that send one refresh token a moment apart look like a thief and his victim. @see W3C, "Web Locks API" */
function withRefreshLock({ transport }: App, work: () => Promise<boolean>): Promise<boolean> {
  const { navigator } = globalThis as { readonly navigator?: { readonly locks?: Locks } } // of a page, where it is secure
  return navigator?.locks?.request(`tokens of ${transport.baseUrl}`, work) ?? work()
}

interface Locks {
  request(name: string, work: () => Promise<boolean>): Promise<boolean>
}

async function refresh(app: App): Promise<boolean> {
  const before = await app.tokens.load()
  // Another window may have used the one that is held here.
  const refresh_token = await app.tokens.stored('refresh_token')
  const answer = refresh_token === null ? null : await send(app.transport, 'refreshTokens', { refresh_token }, {})
  const held = await app.tokens.load()
  // A sign-in or sign-out of meanwhile is newer.
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

/** Of the app's own: when it is the token of this client that was used up, the next one takes its place. */
async function refreshManually(app: App, input: Readonly<Record<string, unknown>> | undefined): Promise<AnyAnswer> {
  const answer = await send(app.transport, 'refreshTokens', input, {})
  const { refresh_token } = await app.tokens.load()
  if (answer.status === 200 && refresh_token !== null && input?.['refresh_token'] === refresh_token) {
    await storeRefreshed(app, answer, refresh_token)
  }
  return answer
}

async function storeRefreshed(app: App, { data }: AnyAnswer, refresh_token: string | null): Promise<void> {
  const fresh = (data ?? {}) as Partial<Record<TokenName, string>> // as the description has it
  await app.tokens.change({
    access_token: fresh.access_token ?? null,
    refresh_token: fresh.refresh_token ?? refresh_token,
  })
}
