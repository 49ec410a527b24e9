import type { PlatformIo, Clock } from '../../platform-io.ts'
import { type CallLimits, failed, createRedactor, raceAbort } from '../wire/call.ts'
import { filled, type Json } from '../wire/json.ts'
import type { DingtalkCredentials } from './credentials.ts'
import { BOT_MESSAGES, CARD_ACTIONS } from './socket.ts'
import { apiUrl, parseDingtalkUrl, oapiUrl, callJson, number, type HttpCall } from './http.ts'
import { type Answer, isFaultOfCall, isTokenRefused, describeFailure, toMalformed } from './outcome.ts'

/** Calls of one app's API. No method throws, and no text it returns contains a secret. */
export interface DingtalkClient {
  /** Requests an access token even if there is one. */
  probe(limits: CallLimits): Promise<Answer<true>>
  /** Returns the URL of a new stream; its ticket is valid for one connection within 90 s. */
  openStream(limits: CallLimits): Promise<Answer<URL>>
  /** A call of the new API. @param path From `/v1.0/` on. */
  api(method: 'POST' | 'PUT', path: string, body: Json, limits: CallLimits): Promise<Answer<Json>>
  /** @param url As `namedUrl` gave it. */
  webhook(url: URL, body: Json, limits: CallLimits): Promise<Answer<Json>>
  /** @returns the media id. */
  upload(type: 'image' | 'file', name: string, content: Blob, limits: CallLimits): Promise<Answer<string>>
}

const TOKEN_MS = 10_000
/** A token request is shared by all callers, so none of them may cancel it. */
const SHARED: CallLimits = { signal: new AbortController().signal, timeoutMs: TOKEN_MS }
const DEFAULT_LIFE_S = 7_200
const USER_AGENT = 'gatepost/1'
const STREAM = {
  ua: USER_AGENT,
  localIp: '',
  subscriptions: [
    { type: 'CALLBACK', topic: BOT_MESSAGES },
    { type: 'CALLBACK', topic: CARD_ACTIONS },
  ],
} as const

/** Creates a client. Makes no request yet. */
export function openClient({ client_id, client_secret }: DingtalkCredentials, io: PlatformIo): DingtalkClient {
  const [api, oapi] = [apiUrl(io), oapiUrl(io)]
  // the platform's message may quote the request
  const ask = (call: HttpCall, limits: CallLimits, token = ''): Promise<Answer<Json>> =>
    callJson(io, call, limits, createRedactor(client_secret, token))

  const issue = async (limits: CallLimits): Promise<Answer<IssuedToken>> => {
    const json = { appKey: client_id, appSecret: client_secret }
    const answer = await ask({ method: 'POST', url: `${api}/v1.0/oauth2/accessToken`, json, kind: 'http' }, limits)
    return answer.ok ? readIssuedToken(answer.result['accessToken'], answer.result['expireIn']) : answer
  }
  const issueOld = async (): Promise<Answer<IssuedToken>> => {
    const query = new URLSearchParams({ appkey: client_id, appsecret: client_secret }).toString()
    const answer = await ask({ method: 'GET', url: `${oapi}/gettoken?${query}`, kind: 'errcode' }, SHARED)
    return answer.ok ? readIssuedToken(answer.result['access_token'], answer.result['expires_in']) : answer
  }
  const tokens = tokenSource(io.clock, () => issue(SHARED))
  const oldTokens = tokenSource(io.clock, issueOld)

  const callApi: DingtalkClient['api'] = (method, path, json, limits) =>
    withToken(tokens, limits, (token) => {
      const headers = { 'x-acs-dingtalk-access-token': token }
      return ask({ method, url: api + path, headers, json, kind: 'http' }, limits, token)
    })

  return {
    async probe(limits) {
      const answer = await issue(limits)
      return answer.ok ? { ok: true, result: true } : answer
    },
    openStream: async (limits) => {
      const json = { clientId: client_id, clientSecret: client_secret, ...STREAM }
      const call: HttpCall = { method: 'POST', url: `${api}/v1.0/gateway/connections/open`, json, kind: 'http' }
      const answer = await ask(call, limits)
      return answer.ok ? readStreamUrl(answer.result, api) : answer
    },
    api: callApi,
    webhook: (url, json, limits) => ask({ method: 'POST', url: url.href, json, kind: 'errcode' }, limits),
    async upload(type, name, content, limits) {
      const answer = await withToken(oldTokens, limits, (token) => {
        const form = new FormData()
        form.set('media', content, name)
        const query = new URLSearchParams({ access_token: token, type }).toString()
        return ask({ method: 'POST', url: `${oapi}/media/upload?${query}`, form, kind: 'errcode' }, limits, token)
      })
      if (!answer.ok) return answer
      const id = filled(answer.result['media_id'])
      return id === undefined ? toMalformed('the upload response has no media id') : { ok: true, result: id }
    },
  }
}

function readStreamUrl(answer: Json, api: string): Answer<URL> {
  const url = parseDingtalkUrl(answer['endpoint'], 'socket', api)
  const ticket = filled(answer['ticket'])
  if (url === null || ticket === undefined) return toMalformed('the response has no stream URL')
  url.search = `?ticket=${encodeURIComponent(ticket)}`
  return { ok: true, result: url }
}

/** Makes a call with a token, and retries once with a new one when the token was rejected. */
async function withToken<R>(
  tokens: TokenSource,
  { signal }: CallLimits,
  call: (token: string) => Promise<Answer<R>>,
): Promise<Answer<R>> {
  const first = await waitForToken(tokens, signal)
  if (!first.ok) return first
  const answer = await call(first.result)
  if (answer.ok || !isTokenRefused(answer.failure)) return answer
  tokens.drop(first.result)
  const second = await waitForToken(tokens, signal)
  return second.ok ? call(second.result) : second
}

/** Without a token the call itself was not sent, however the token request ended. */
async function waitForToken(tokens: TokenSource, signal: AbortSignal): Promise<Answer<string>> {
  const answer = await raceAbort(tokens.get(), signal)
  if (answer === null) return failed({ kind: 'unsent', detail: 'cancelled before it was sent' })
  if (answer.ok) return answer
  const { failure } = answer
  const isSaid = failure.kind === 'answer' && failure.status < 500 && !isFaultOfCall(failure)
  return isSaid ? answer : failed({ kind: 'unsent', detail: `no access token: ${describeFailure(failure)}` })
}

function readIssuedToken(token: unknown, seconds: unknown): Answer<IssuedToken> {
  const read = filled(token)
  if (read === undefined || !/^[!-~]+$/.test(read)) return toMalformed('the response has no access token')
  const life = number(seconds) ?? DEFAULT_LIFE_S
  return { ok: true, result: { token: read, lifeMs: Math.min(Math.max(life, 1), 86_400) * 1_000 } }
}

interface IssuedToken {
  readonly token: string
  readonly lifeMs: number
}

/** The access token of one app, requested when needed and by one call at a time. */
interface TokenSource {
  get(): Promise<Answer<string>>
  /** Drops a token that the platform rejected, so that the next `get` requests a new one. */
  drop(token: string): void
}

const EARLY_MS = 5 * 60_000

function tokenSource(clock: Clock, issue: () => Promise<Answer<IssuedToken>>): TokenSource {
  let waitForToken: { readonly token: string; readonly freshUntilMs: number } | null = null
  let underWay: Promise<Answer<string>> | null = null
  const renew = async (): Promise<Answer<string>> => {
    const answer = await issue()
    if (!answer.ok) return answer
    const { token, lifeMs } = answer.result
    // a life shorter than the margin must not mean a new token for every call
    waitForToken = { token, freshUntilMs: clock.now() + Math.max(lifeMs - EARLY_MS, lifeMs / 2) }
    return { ok: true, result: token }
  }
  return {
    get() {
      if (waitForToken !== null && clock.now() < waitForToken.freshUntilMs)
        return Promise.resolve({ ok: true, result: waitForToken.token })
      underWay ??= renew().finally(() => {
        underWay = null
      })
      return underWay
    },
    drop(token) {
      if (waitForToken?.token === token) waitForToken = null
    },
  }
}
