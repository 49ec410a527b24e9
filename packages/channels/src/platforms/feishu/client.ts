import type { PlatformIo } from '../../platform-io.ts'
import {
  type CallLimits,
  failed,
  type Failed,
  toForeignFailure,
  createRedactor,
  readJson,
  readUpTo,
  raceAbort,
  runCall,
} from '../wire/call.ts'
import type { Download, Downloaded } from '../wire/download.ts'
import { filled, integer, type Json, object, parseJson } from '../wire/json.ts'
import { feishuBaseUrl, type FeishuCredentials } from './credentials.ts'
import { type Answer, type FeishuFailure, isTokenCode, toOutcome, describeFailure } from './outcome.ts'

/** A call of the open API, without its token. `form` takes the place of `body`. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the domain, ids already encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Json
  readonly form?: FormData
}

/** All requests of one app. No method throws, and no text it returns contains the secret or a token. */
export interface FeishuClient {
  /** Without a trailing slash. */
  readonly base: string
  /** One call; a token that is not accepted is replaced once. */
  call(call: Call, limits: CallLimits): Promise<Answer>
  /** Fetches a file; a token that is not accepted is replaced once. */
  download(
    path: string,
    query: Readonly<Record<string, string>>,
    maxBytes: number,
    limits: CallLimits,
  ): Promise<Download>
  /** Asks for a new token: whether the app id and the secret are accepted now. */
  checkToken(signal: AbortSignal): Promise<FeishuFailure | null>
  /** Where the long connection is to be opened. */
  discover(signal: AbortSignal): Promise<Answer>
}

const DISCOVERY_MS = 15_000

/** Sends nothing yet. */
export function openClient(credentials: FeishuCredentials, io: PlatformIo): FeishuClient {
  const { app_id: appId, app_secret: appSecret } = credentials
  const base = feishuBaseUrl(credentials, io)
  const tokens = openTokens(credentials, base, io)
  const { hide } = tokens

  function once({ method, path, query, body, form }: Call, token: Token, limits: CallLimits): Promise<Answer> {
    const sent = form ?? body
    const request = { method, url: `${base}${path}`, headers: bearer(token), query: query ?? {} }
    return callFeishu(io, sent === undefined ? request : { ...request, body: sent }, limits, hide)
  }

  return {
    base,
    async call(call, limits) {
      const first = await tokens.current(limits.signal)
      if ('failure' in first) return failed(beforeSending(first.failure))
      const answer = await once(call, first, limits)
      if (answer.ok || answer.failure.kind !== 'answer' || !isTokenCode(answer.failure.code)) return answer
      tokens.drop(first)
      const second = await tokens.current(limits.signal)
      return 'failure' in second ? failed(beforeSending(second.failure)) : once(call, second, limits)
    },
    async download(path, query, maxBytes, limits) {
      for (let isLast = false; ; isLast = true) {
        const token = await tokens.current(limits.signal)
        if ('failure' in token) return unavailable(token.failure)
        const request = { method: 'GET', url: `${base}${path}`, query, headers: bearer(token) }
        const got = await downloadFile(io, request, maxBytes, limits, hide)
        if (!('failure' in got)) return got
        const expired = got.failure.kind === 'answer' && isTokenCode(got.failure.code)
        if (!expired || isLast) return unavailable(got.failure)
        tokens.drop(token)
      }
    },
    async checkToken(signal) {
      const answer = await tokens.ask(signal)
      return 'failure' in answer ? answer.failure : null
    },
    discover(signal) {
      const headers = { locale: 'zh' }
      const body = { AppID: appId, AppSecret: appSecret }
      const request = { method: 'POST', url: `${base}/callback/ws/endpoint`, headers, body }
      return callFeishu(io, request, { signal, timeoutMs: DISCOVERY_MS }, hide)
    },
  }
}

const bearer = ({ value }: Token): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${value}` })

const unavailable = (failure: FeishuFailure): Download => ({
  ok: false,
  problem: 'unavailable',
  status: null,
  detail: describeFailure(failure),
})

/** The call itself was not made. */
const beforeSending = (failure: FeishuFailure): FeishuFailure =>
  toOutcome(failure).status === 'unknown'
    ? { kind: 'unsent', detail: `no token: ${describeFailure(failure)}` }
    : failure

/** The member `data` of an answer. */
export const readData = (body: Json): Json => object(body['data']) ?? {}

/** An access token. */
interface Token {
  readonly value: string
  readonly expiresAtMs: number
}
type TokenAnswer = Token | { readonly failure: FeishuFailure }

/** The access tokens of one app, requested when needed. */
interface Tokens {
  /** One request for all who wait; each of them may stop waiting. */
  current(signal: AbortSignal): Promise<TokenAnswer>
  /** Asks for a new one now. */
  ask(signal: AbortSignal): Promise<TokenAnswer>
  /** Drops a token that the platform rejected. */
  drop(token: Token): void
  /** Takes the secret and every token out of words that will be shown. */
  hide(words: string): string
}

const ASK_MS = 10_000
/** A token is replaced this long before it ends. */
const MARGIN_MS = 3 * 60_000
/** Tokens that have been replaced are secrets still. */
const REMEMBERED = 3

/** @param base Where the API is, without a trailing slash. */
function openTokens(credentials: FeishuCredentials, base: string, io: PlatformIo): Tokens {
  const { app_id, app_secret } = credentials
  const issued: string[] = []
  let token: Token | null = null
  let asking: Promise<TokenAnswer> | null = null
  const hide = (words: string): string => createRedactor(app_secret, ...issued)(words)

  async function ask(signal: AbortSignal): Promise<TokenAnswer> {
    const url = `${base}/open-apis/auth/v3/tenant_access_token/internal`
    const request = { method: 'POST', url, body: { app_id, app_secret } }
    const answer = await callFeishu(io, request, { signal, timeoutMs: ASK_MS }, hide)
    if (!answer.ok) return { failure: answer.failure }
    const value = filled(answer.body['tenant_access_token'])
    const seconds = integer(answer.body['expire']) ?? 0
    if (value === undefined) return { failure: { kind: 'foreign', status: 200, detail: 'the response has no token' } }
    issued.unshift(value)
    issued.length = Math.min(issued.length, REMEMBERED)
    token = { value, expiresAtMs: io.clock.now() + Math.max(0, seconds) * 1_000 - MARGIN_MS }
    return token
  }

  return {
    async current(signal) {
      if (token !== null && token.expiresAtMs > io.clock.now()) return token
      asking ??= ask(never).finally(() => {
        asking = null
      })
      return (await raceAbort(asking, signal)) ?? STOPPED
    },
    ask,
    drop(one) {
      if (token === one) token = null
    },
    hide,
  }
}

const never = new AbortController().signal

const STOPPED: TokenAnswer = { failure: { kind: 'unsent', detail: 'cancelled before it was sent' } }

/** One HTTP request to the open API or to the sign-in. */
interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON, or as a form where it is one. */
  readonly body?: Json | FormData | URLSearchParams
}

/** What came of a file: its bytes, or why there are none. */
type Fetched = Downloaded | { readonly ok: false; readonly problem: 'too_large' } | Failed<FeishuFailure>

const WHOSE = 'the Feishu API'
/** Largest answer that is read, in bytes: a page of 50 messages is far below. */
const ANSWER_BYTES = 16 * 1024 * 1024
/** The file is larger than the platform hands out. @see "Get resource files in messages", code 234037 */
const TOO_LARGE_CODE = 234037

/** Makes one request and reads its answer. Never throws. @param hide Takes secrets out of the platform's words. */
const callFeishu = (
  io: PlatformIo,
  request: WireRequest,
  limits: CallLimits,
  hide: (words: string) => string,
): Promise<Answer> =>
  runCall(io, limits, async (signal) => {
    const response = await io.fetch(buildUrl(request), buildRequestInit(request, signal))
    return readAnswer(response, object(await readJson(response, ANSWER_BYTES)), hide)
  })

/** Fetches a file; its bytes come only with status 200. Never throws. */
const downloadFile = (
  io: PlatformIo,
  request: WireRequest,
  maxBytes: number,
  limits: CallLimits,
  hide: (words: string) => string,
): Promise<Fetched> =>
  runCall<Fetched>(io, limits, async (signal) => {
    const response = await io.fetch(buildUrl(request), buildRequestInit(request, signal))
    const { status, headers } = response
    if (status !== 200 || headers.get('content-type')?.startsWith('application/json') === true) {
      return readRefusal(response, hide)
    }
    const bytes = await readUpTo(response, maxBytes)
    return bytes === null ? { ok: false, problem: 'too_large' } : { ok: true, bytes, headers }
  })

/** A file of JSON cannot be told from an answer by its type: only one with a code that is not 0 is a refusal. */
async function readRefusal(response: Response, hide: (words: string) => string): Promise<Fetched> {
  const { status, headers } = response
  const bytes = await readUpTo(response, ANSWER_BYTES)
  const body = bytes === null ? undefined : object(parseJson(new TextDecoder().decode(bytes)))
  const answer = readAnswer(response, body, hide)
  const isRefusal = !answer.ok && answer.failure.kind === 'answer'
  if (status === 200 && bytes !== null && !isRefusal) return { ok: true, bytes, headers }
  if (answer.ok) return failed(toForeignFailure(response, WHOSE))
  const { failure } = answer
  const isTooLarge = failure.kind === 'answer' && failure.code === TOO_LARGE_CODE
  return isTooLarge ? { ok: false, problem: 'too_large' } : answer
}

/** Whatever the status: only a body with a `code` is the open API's. */
function readAnswer(response: Response, body: Json | undefined, hide: (words: string) => string): Answer {
  const code = integer(body?.['code'])
  if (body === undefined || code === undefined) return failed(toForeignFailure(response, WHOSE))
  if (code === 0 && response.ok) return { ok: true, body }
  const seconds = Number(response.headers.get('x-ogw-ratelimit-reset') ?? Number.NaN)
  return failed({
    kind: 'answer',
    status: response.status,
    code,
    msg: hide(filled(body['msg']) ?? 'no reason given'),
    ...(seconds >= 0 ? { retryAfterMs: Math.max(Math.min(seconds, 86_400), 0.1) * 1_000 } : {}),
  })
}

function buildUrl({ url, query }: WireRequest): string {
  const search = new URLSearchParams(query).toString()
  return search === '' ? url : `${url}?${search}`
}

function buildRequestInit({ method, headers, body }: WireRequest, signal: AbortSignal): RequestInit {
  // a redirect would carry the token and the message to another host
  const base = { method: method.toUpperCase(), redirect: 'manual', signal } as const
  if (body === undefined) return { ...base, headers: { ...headers } }
  if (body instanceof FormData || body instanceof URLSearchParams) return { ...base, headers: { ...headers }, body }
  const json = { ...headers, 'content-type': 'application/json; charset=utf-8' }
  return { ...base, headers: json, body: JSON.stringify(body) }
}

/**
 * Posts a form to the accounts server, which says in its body what is wrong.
 * @returns `null` without an answer that is a JSON object.
 */
export async function postForm(
  io: PlatformIo,
  url: string,
  form: Readonly<Record<string, string>>,
  limits: CallLimits,
): Promise<Json | null> {
  const got = await runCall(io, limits, async (signal) => {
    const response = await io.fetch(
      url,
      buildRequestInit({ method: 'POST', url, body: new URLSearchParams(form) }, signal),
    )
    return { body: object(await readJson(response, ANSWER_BYTES)) ?? null }
  })
  return 'body' in got ? got.body : null // asked again, until the code ends
}
