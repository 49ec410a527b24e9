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

/** What is changed or saved: credentials, `enabled`, `allowed_users`, … */
type SaveBody = Readonly<Record<string, unknown>>

/** The channel API. Platforms may be named by an alias. Every call throws `CliError`; answers are the API's own JSON. */
export interface ApiClient {
  readonly url: string
  list(): Promise<{ readonly channels: readonly ChannelEntry[] }>
  details(platform: string): Promise<ChannelDetails>
  save(platform: string, body: SaveBody): Promise<unknown>
  disable(platform: string): Promise<unknown>
  /** Asks the platform whether it accepts these; stores nothing. */
  test(platform: string, body: SaveBody): Promise<{ readonly bot: { readonly id: string; readonly name: string } }>
  users(platform: string): Promise<{ readonly users: readonly KnownUser[] }>
  send(platform: string, message: string, userId: string): Promise<unknown>
  messages(platform: string, page: PageQuery): Promise<Page<MessageRecord>>
  deliveries(platform: string, page: PageQuery & { readonly dead: boolean }): Promise<Page<DeliveryRecord>>
  resend(platform: string, deliveryId: string): Promise<unknown>
  doctor(platform: string): Promise<{ readonly checks: readonly Diagnosis[] }>
  /** Everything, the service itself included. */
  report(): Promise<DoctorReport>
  setupWays(platform: string): Promise<{ readonly ways: readonly SetupWay[] }>
  /** `fields`: saved together with what is found. */
  startSetup(platform: string, kind: SetupKind, fields?: SaveBody): Promise<SetupView>
  /** Waits at most `waitSeconds` (50) for a version above `version`. */
  setup(
    platform: string,
    id: string,
    wait: { readonly version: number; readonly waitSeconds: number },
  ): Promise<SetupView>
  answerSetup(platform: string, id: string, values: Readonly<Record<string, string>>): Promise<SetupView>
  /** Works also when the person has just ended the program. */
  cancelSetup(platform: string, id: string): Promise<unknown>
}

const QUICK_MS = 15_000
/** Calls that wait for a platform. */
const PATIENT_MS = 90_000
/** What somebody who leaves still waits for. */
const LAST_MS = 2_000

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** As it was named, for the advice that a failure gives. */
  readonly platform: string
  readonly body?: unknown
  readonly timeoutMs: number
  /** Also when the person has just ended the program. */
  readonly last?: true
}

/** A name as a part of a path. @throws {CliError} `usage` for what could lead elsewhere */
function segment(text: string, what: string): string {
  if (!/^[\w.:-]+$/.test(text) || /^\.+$/.test(text)) throw usageError(`This is no ${what}.`)
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
    return undefined // a proxy's page or another service: told apart by the caller
  }
}

/** A call of the API; `expected` is a member that the answer must have. */
type ApiCall = <T>(expected: string, of: Omit<Call, 'timeoutMs'>, timeoutMs?: number) => Promise<T>

/** Finds what to show to the server; calls nothing yet but for a token that has to be refreshed. */
async function apiCall(
  args: { readonly url?: string | undefined },
  io: Io,
): Promise<{ readonly url: string; readonly call: ApiCall }> {
  const url = serverUrl(args.url, io.env)
  return { url, call: createApiCall({ url, token: await findBearer(io, url) }, io) }
}

/** Calls of the API with one token, whatever else there is. */
export const createApiCall =
  (server: ServerAddress, io: Io): ApiCall =>
  async <T>(expected: string, of: Omit<Call, 'timeoutMs'>, timeoutMs = QUICK_MS): Promise<T> => {
    const answer = await request(server, { ...of, timeoutMs }, io)
    if (typeof answer !== 'object' || answer === null || !(expected in answer)) throw unexpectedAnswer(server.url)
    return answer as T // the routes' own types; the expected member tells that it is the right kind of answer
  }

/** A client for the server that the arguments and the environment name. Calls nothing yet. */
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

const setupPath = (id: string): string => `/setup/${segment(id, 'set-up id')}`

/** `?a=b` of what is given, or nothing. */
const query = (values: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

/** A token as the API tells of it. Times are milliseconds since the Unix epoch. */
export interface TokenView {
  readonly id: string
  readonly name: string
  readonly account: string
  readonly scopes: readonly string[]
  readonly created_at: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
}

/** What the API is asked for when a token is made. */
interface NewToken {
  readonly name: string
  readonly scopes?: readonly string[]
  /** Seconds; `null`: until it is revoked. */
  readonly expires_in?: number | null
}

/** An invitation that was just made. */
interface InvitationView {
  readonly id: string
  readonly email: string | null
  readonly staff: boolean
  readonly url: string
  readonly expires_at: number
}

/** An account; `user`: whose it is; `null`: nobody has it yet, or they are gone. */
export interface AccountView {
  readonly id: string
  readonly user: {
    readonly email: string
    readonly name: string
    readonly staff: boolean
    readonly active: boolean
  } | null
}

/** A page of accounts. `next`: what the page after this one begins after. */
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
  invite(asked: { readonly email?: string; readonly staff: boolean }): Promise<InvitationView>
}

/** A client for the server that the arguments and the environment name. */
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

const clientPath = (id: string): string => `/api/admin/clients/${segment(id, 'client id')}`
