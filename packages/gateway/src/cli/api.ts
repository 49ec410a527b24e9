import type {
  ChannelDetails,
  ChannelEntry,
  DeliveryRecord,
  Diagnosis,
  DoctorReport,
  KnownUser,
  MessageRecord,
  Page,
  SetupKind,
  SetupView,
  SetupWay,
} from '@gatepost/channels'
import { toApiError, timeoutError, unexpectedAnswer, unreachable } from './api-errors.ts'
import { findBearer } from './credentials.ts'
import { CliError, EXIT, usageError } from './exit-code.ts'
import type { Io } from './io.ts'
import { type ServerAddress, serverUrl } from './server-address.ts'

interface PageQuery {
  readonly limit?: string | undefined
  readonly before?: string | undefined
}

/** Members to change or save: credentials, `enabled`, `allowed_users`, … */
type SaveBody = Readonly<Record<string, unknown>>

/** Client of the channel API. Platforms may be named by an alias. Calls return the API's JSON and throw `CliError`. */
export interface ApiClient {
  readonly url: string
  list(): Promise<{ readonly channels: readonly ChannelEntry[] }>
  details(platform: string): Promise<ChannelDetails>
  save(platform: string, body: SaveBody): Promise<unknown>
  disable(platform: string): Promise<unknown>
  /** Checks credentials with the platform. Stores nothing. */
  test(platform: string, body: SaveBody): Promise<{ readonly bot: { readonly id: string; readonly name: string } }>
  users(platform: string): Promise<{ readonly users: readonly KnownUser[] }>
  send(platform: string, message: string, userId: string): Promise<unknown>
  messages(platform: string, page: PageQuery): Promise<Page<MessageRecord>>
  deliveries(platform: string, page: PageQuery & { readonly dead: boolean }): Promise<Page<DeliveryRecord>>
  resend(platform: string, deliveryId: string): Promise<unknown>
  doctor(platform: string): Promise<{ readonly checks: readonly Diagnosis[] }>
  /** The report on all platforms and the service itself. */
  report(): Promise<DoctorReport>
  setupWays(platform: string): Promise<{ readonly ways: readonly SetupWay[] }>
  /** @param fields Saved together with the credentials that the setup obtains. */
  startSetup(platform: string, kind: SetupKind, fields?: SaveBody): Promise<SetupView>
  /** Waits at most `waitSeconds` (50 or less) for a version above `version`. */
  setup(
    platform: string,
    id: string,
    wait: { readonly version: number; readonly waitSeconds: number },
  ): Promise<SetupView>
  answerSetup(platform: string, id: string, values: Readonly<Record<string, string>>): Promise<SetupView>
  /** Also works after the user has interrupted the program. */
  cancelSetup(platform: string, id: string): Promise<unknown>
}

const QUICK_MS = 15_000
/** Timeout of calls that wait for a platform. */
const PATIENT_MS = 90_000
/** Timeout of calls made while the program is exiting. */
const LAST_MS = 2_000

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** As the user named it, for advice in errors. */
  readonly platform: string
  readonly body?: unknown
  readonly timeoutMs: number
  /** Runs even after the user has interrupted the program. */
  readonly last?: true
}

/** Encodes a name as one path segment. @throws {CliError} `usage` if it could address another path */
function segment(text: string, what: string): string {
  if (!/^[\w.:-]+$/.test(text) || /^\.+$/.test(text)) throw usageError(`Invalid ${what}.`)
  return encodeURIComponent(text)
}

async function request(server: ServerAddress, call: Call, io: Io): Promise<unknown> {
  const timeout = AbortSignal.timeout(call.timeoutMs)
  const headers: Record<string, string> = { accept: 'application/json' }
  if (server.token.found) headers['authorization'] = `Bearer ${server.token.value}`
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  let response: Response
  let text: string
  try {
    response = await io.fetch(server.url + call.path, {
      method: call.method,
      headers,
      redirect: 'manual',
      signal: call.last ? timeout : AbortSignal.any([io.signal, timeout]),
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    })
    text = await response.text()
  } catch (error) {
    if (io.signal.aborted) throw new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })
    if (timeout.aborted) throw timeoutError(server.url, call.timeoutMs, call.method !== 'GET')
    throw unreachable(server.url, error)
  }
  const body = parseJson(text)
  if (!response.ok) throw toApiError(server, response.status, body, call.platform)
  if (body === undefined) throw unexpectedAnswer(server.url)
  return body
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a proxy's page or another service: the caller reports it
  }
}

/** Calls the API. @param expected Name of a member that the response must have. */
type ApiCall = <T>(expected: string, of: Omit<Call, 'timeoutMs'>, timeoutMs?: number) => Promise<T>

/** Resolves the server's address and the token. Makes no call, except to refresh a token. */
async function apiCall(
  args: { readonly url?: string | undefined },
  io: Io,
): Promise<{ readonly url: string; readonly call: ApiCall }> {
  const url = serverUrl(args.url, io.env)
  return { url, call: createApiCall({ url, token: await findBearer(io, url) }, io) }
}

/** Returns a function that calls the API with the given token. */
export const createApiCall =
  (server: ServerAddress, io: Io): ApiCall =>
  async <T>(expected: string, of: Omit<Call, 'timeoutMs'>, timeoutMs = QUICK_MS): Promise<T> => {
    const answer = await request(server, { ...of, timeoutMs }, io)
    if (typeof answer !== 'object' || answer === null || !(expected in answer)) throw unexpectedAnswer(server.url)
    return answer as T // the routes' own types; the expected member shows that it is the right response
  }

/** Returns a channel API client for the server named by the arguments or the environment. Makes no call yet. */
export async function connect(args: { readonly url?: string | undefined }, io: Io): Promise<ApiClient> {
  const { url, call } = await apiCall(args, io)
  const at = (method: Call['method'], platform: string, rest = '', body?: SaveBody): Omit<Call, 'timeoutMs'> => ({
    method,
    path: `/api/channels/${segment(platform, 'platform name')}${rest}`,
    platform,
    ...(body && { body }),
  })
  return {
    url,
    list: () => call('channels', { method: 'GET', path: '/api/channels', platform: '' }),
    details: (name) => call('platform', at('GET', name)),
    save: (name, body) => call('ok', at('POST', name, '', body), PATIENT_MS),
    disable: (name) => call('ok', at('DELETE', name)),
    test: (name, body) => call('bot', at('POST', name, '/test', body), PATIENT_MS),
    users: (name) => call('users', at('GET', name, '/users')),
    send: (name, message, user_id) => call('ok', at('POST', name, '/send', { message, user_id }), PATIENT_MS),
    messages: (name, page) => call('items', at('GET', name, `/messages${query({ ...page })}`)),
    deliveries: (name, { dead, ...page }) =>
      call('items', at('GET', name, `/deliveries${query({ ...page, dead: dead ? 'true' : undefined })}`)),
    resend: (name, id) => call('ok', at('POST', name, `/deliveries/${segment(id, 'delivery id')}/resend`), PATIENT_MS),
    doctor: (name) => call('checks', at('GET', name, '/doctor'), PATIENT_MS),
    setupWays: (name) => call('ways', at('GET', name, '/setup')),
    startSetup: (name, kind, fields) =>
      call('id', at('POST', name, '/setup', { kind, ...(fields && { fields }) }), PATIENT_MS),
    setup: (name, id, { version, waitSeconds }) =>
      call(
        'id',
        at('GET', name, `${setupPath(id)}${query({ wait: String(waitSeconds), version: String(version) })}`),
        PATIENT_MS,
      ),
    answerSetup: (name, id, values) => call('id', at('POST', name, setupPath(id), { values }), PATIENT_MS),
    cancelSetup: (name, id) => call('ok', { ...at('DELETE', name, setupPath(id)), last: true }, LAST_MS),
    report: () => call('sections', { method: 'GET', path: '/api/doctor', platform: '' }, PATIENT_MS),
  }
}

const setupPath = (id: string): string => `/setup/${segment(id, 'setup id')}`

/** Returns a query string of the defined values, or an empty string. */
const query = (values: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

/** A token as returned by the API. Times are milliseconds since the Unix epoch. */
export interface TokenView {
  readonly id: string
  readonly name: string
  readonly account: string
  readonly scopes: readonly string[]
  readonly created_at: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
}

/** Request to create a token. */
interface NewToken {
  readonly name: string
  readonly scopes?: readonly string[]
  /** Seconds; `null`: valid until revoked. */
  readonly expires_in?: number | null
}

/** A new invitation as returned by the API. */
interface InvitationView {
  readonly id: string
  readonly email: string | null
  readonly staff: boolean
  readonly url: string
  readonly expires_at: number
}

/** An account and its user; `null` if it has no user (yet, or any more). */
export interface AccountView {
  readonly id: string
  readonly user: {
    readonly email: string
    readonly name: string
    readonly staff: boolean
    readonly active: boolean
  } | null
}

/** A page of accounts. `next`: cursor of the following page. */
interface AccountsPage {
  readonly items: readonly AccountView[]
  readonly next: string | null
}

/** A client of the service's own OpenID Connect provider. */
export interface ClientView {
  readonly id: string
  readonly name: string
  readonly type: 'confidential' | 'public'
  readonly scopes: readonly string[]
  readonly grant_types: readonly string[]
  readonly redirect_uris: readonly string[]
  readonly skip_consent: boolean
  readonly created_at: number
}

/** What is written of a client. */
export type ClientInput = Readonly<Record<string, unknown>>

/** A rotation of the secret keys. Counts are rows. */
export interface KeyRotationView {
  readonly state: 'running' | 'done' | 'failed'
  readonly total: number
  readonly seen: number
  readonly resealed: number
  readonly unreadable: number
}

/** The part of the API about people. Every call throws `CliError`. `account`: another one than the caller's. */
interface AccountClient {
  createToken(token: NewToken, account: string | undefined): Promise<TokenView & { readonly token: string }>
  tokens(account: string | undefined): Promise<{ readonly tokens: readonly TokenView[] }>
  revokeToken(id: string, account: string | undefined): Promise<unknown>
  accounts(page: { readonly limit?: string | undefined; readonly after?: string | undefined }): Promise<AccountsPage>
  changeAccount(id: string, change: { readonly staff?: boolean; readonly active?: boolean }): Promise<AccountView>
  /** Removes the second factors. */
  resetAuthenticators(id: string): Promise<AccountView>
  clients(): Promise<{ readonly clients: readonly ClientView[] }>
  /** `secret`: this once; `null`: a public client has none. */
  createClient(input: ClientInput): Promise<ClientView & { readonly secret: string | null }>
  changeClient(id: string, changes: ClientInput): Promise<ClientView>
  renewClientSecret(id: string): Promise<{ readonly secret: string }>
  removeClient(id: string): Promise<unknown>
  invite(request: { readonly email?: string; readonly staff: boolean }): Promise<InvitationView>
}

/** Returns an account API client for the server named by the arguments or the environment. */
export async function connectAccounts(args: { readonly url?: string | undefined }, io: Io): Promise<AccountClient> {
  const { call } = await apiCall(args, io)
  const platform = ''
  return {
    createToken: (body, account) =>
      call('token', { method: 'POST', path: `/api/tokens${query({ account })}`, platform, body }),
    tokens: (account) => call('tokens', { method: 'GET', path: `/api/tokens${query({ account })}`, platform }),
    revokeToken: (id, account) =>
      call('ok', { method: 'DELETE', path: `/api/tokens/${segment(id, 'token id')}${query({ account })}`, platform }),
    accounts: (page) => call('items', { method: 'GET', path: `/api/accounts${query({ ...page })}`, platform }),
    changeAccount: (id, body) =>
      call('user', { method: 'PATCH', path: `/api/accounts/${segment(id, 'account id')}`, platform, body }),
    resetAuthenticators: (id) =>
      call('user', {
        method: 'DELETE',
        path: `/api/accounts/${segment(id, 'account id')}/authenticators`,
        platform,
      }),
    clients: () => call('clients', { method: 'GET', path: '/api/admin/clients', platform }),
    createClient: (body) => call('id', { method: 'POST', path: '/api/admin/clients', platform, body }),
    changeClient: (id, body) => call('id', { method: 'PATCH', path: clientPath(id), platform, body }),
    renewClientSecret: (id) => call('secret', { method: 'POST', path: `${clientPath(id)}/secret`, platform }),
    removeClient: (id) => call('ok', { method: 'DELETE', path: clientPath(id), platform }),
    invite: (body) => call('url', { method: 'POST', path: '/api/invitations', platform, body }),
  }
}

/** Returns a client of the secret keys' API for the server named by the arguments or the environment. */
export async function connectKeys(
  args: { readonly url?: string | undefined },
  io: Io,
): Promise<{ rotate(): Promise<KeyRotationView>; rotation(): Promise<KeyRotationView> }> {
  const { call } = await apiCall(args, io)
  const path = '/api/keys/rotation'
  return {
    rotate: () => call('state', { method: 'POST', path, platform: '' }),
    rotation: () => call('state', { method: 'GET', path, platform: '' }),
  }
}

const clientPath = (id: string): string => `/api/admin/clients/${segment(id, 'client id')}`
