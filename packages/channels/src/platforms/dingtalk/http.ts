import type { PlatformIo } from '../../platform-io.ts'
import { type CallLimits, failed, toForeignFailure, readJson, runCall } from '../wire/call.ts'
import { type Json, list, object, text } from '../wire/json.ts'
import { parseTrustedUrl } from '../wire/urls.ts'
import type { Answer, DingtalkFailure } from './outcome.ts'

/** One HTTP call. */
export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  readonly form?: FormData
  /** `errcode`: the old API, where a refusal is an HTTP 200 with an `errcode` other than 0. */
  readonly kind: 'http' | 'errcode'
}

/** Largest answer that is read, in bytes. */
const ANSWER_BYTES = 1024 * 1024

/**
 * One call; never throws.
 * @param hide Takes the secrets out of the platform's own words.
 */
export function callJson(
  io: PlatformIo,
  call: HttpCall,
  limits: CallLimits,
  hide: (words: string) => string,
): Promise<Answer<Json>> {
  return runCall(io, limits, (signal) => ask(io, call, signal, hide))
}

async function ask(
  io: PlatformIo,
  { method, url, headers, json, form, kind }: HttpCall,
  signal: AbortSignal,
  hide: (words: string) => string,
): Promise<Answer<Json>> {
  const body = form ?? (json === undefined ? null : JSON.stringify(json))
  // Without `accept` some calls answer in XML; a redirect would carry the credentials to another host.
  const sent = { accept: 'application/json', ...(json === undefined ? {} : { 'content-type': 'application/json' }) }
  const response = await io.fetch(url, { method, headers: { ...sent, ...headers }, body, signal, redirect: 'manual' })
  const answer = object(await readJson(response, ANSWER_BYTES))
  const failure = answer === undefined ? null : readFailure(answer, response.status, kind, hide)
  if (answer === undefined || failure === 'foreign') return failed(toForeignFailure(response, 'DingTalk'))
  return failure === null ? { ok: true, result: answer } : failed(failure)
}

/** Reads the failure in a response; `null`: success. */
function readFailure(
  answer: Json,
  status: number,
  kind: HttpCall['kind'],
  hide: (words: string) => string,
): DingtalkFailure | 'foreign' | null {
  const errcode = number(answer['errcode'])
  if (kind === 'errcode' && errcode !== undefined) {
    if (errcode === 0) return null
    return { kind: 'answer', status: 200, code: String(errcode), message: hide(text(answer['errmsg']) ?? '') }
  }
  if (kind === 'http' && status >= 200 && status < 300) return null
  const code = text(answer['code'])
  if (code === undefined) return 'foreign'
  const scopes = readRequiredScopes(answer)
  const said = { code: hide(code), message: hide(text(answer['message']) ?? '') }
  return { kind: 'answer', status, ...said, ...(scopes.length === 0 ? {} : { scopes }) }
}

function readRequiredScopes(answer: Json): readonly string[] {
  const detail = object(answer['accessdenieddetail']) ?? object(answer['accessDeniedDetail']) ?? answer
  return list(detail['requiredScopes'])
    .filter((scope): scope is string => typeof scope === 'string' && /^[\w.:-]{1,100}$/.test(scope))
    .slice(0, 10)
}

const API = 'https://api.dingtalk.com'
const OAPI = 'https://oapi.dingtalk.com'

/** Base URL of the new API, without a trailing slash. */
export const apiUrl = (io: Pick<PlatformIo, 'host'>): string => io.host('GATEPOST_DINGTALK_API_URL', API)

/** Base URL of the old API: uploads, session webhooks, registration. */
export const oapiUrl = (io: Pick<PlatformIo, 'host'>): string => io.host('GATEPOST_DINGTALK_OAPI_URL', OAPI)

type Purpose = 'socket' | 'webhook' | 'file' | 'page'

/**
 * A URL that the platform handed out, or `null` when it is not one that may be asked. Sockets, webhooks and pages stay at
 * the vendor; files lie at a storage service whose names vary.
 * @param base The configured host that the URL came from.
 */
export const parseDingtalkUrl = (raw: unknown, purpose: Purpose, base: string): URL | null =>
  parseTrustedUrl(raw, purpose === 'socket' ? 'socket' : 'web', {
    configured: base,
    domains: purpose === 'file' ? [] : ['dingtalk.com'],
  })

/** Returns a number, also one sent as a string, as DingTalk sometimes does. */
export function number(value: unknown): number | undefined {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined
}
