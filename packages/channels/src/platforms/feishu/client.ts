import type { PlatformIo } from '../../platform-io.ts'
import { failed } from '../wire/call.ts'
import type { Download } from '../wire/download.ts'
import { type Json, object } from '../wire/json.ts'
import type { CallLimits } from '../wire/time-limit.ts'
import { type FeishuCredentials, feishuBaseUrl } from './credentials.ts'
import { type Answer, type FeishuFailure, isTokenCode, outcomeOf, sentenceOf } from './outcome.ts'
import { openTokens, type Token } from './token.ts'
import { askFeishu, downloadFile } from './transport.ts'

/** A call of the open API, without its token. `form` takes the place of `body`. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the domain, ids already encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Json
  readonly form?: FormData
}

/** Everything that leaves this machine for one app: no method throws, and no text it returns holds the secret or a token. */
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
    return askFeishu(io, sent === undefined ? request : { ...request, body: sent }, limits, hide)
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
      return askFeishu(io, request, { signal, timeoutMs: DISCOVERY_MS }, hide)
    },
  }
}

const bearer = ({ value }: Token): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${value}` })

const unavailable = (failure: FeishuFailure): Download => ({
  ok: false,
  problem: 'unavailable',
  status: null,
  detail: sentenceOf(failure),
})

/** The call itself was not made. */
const beforeSending = (failure: FeishuFailure): FeishuFailure =>
  outcomeOf(failure).status === 'unknown' ? { kind: 'unsent', detail: `no token: ${sentenceOf(failure)}` } : failure

/** The member `data` of an answer. */
export const dataOf = (body: Json): Json => object(body['data']) ?? {}
