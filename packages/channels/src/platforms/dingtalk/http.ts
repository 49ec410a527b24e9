import type { PlatformIo } from '../../platform-io.ts'
import { readJson } from '../wire/body.ts'
import { failed, foreign, within } from '../wire/call.ts'
import { type Json, list, object, text } from '../wire/json.ts'
import type { CallLimits } from '../wire/time-limit.ts'
import { number } from './numbers.ts'
import type { Answer, DingtalkFailure } from './outcome.ts'

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
  return within(io, limits, (signal) => ask(io, call, signal, hide))
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
  const failure = answer === undefined ? null : failureIn(answer, response.status, kind, hide)
  if (answer === undefined || failure === 'foreign') return failed(foreign(response, 'DingTalk'))
  return failure === null ? { ok: true, result: answer } : failed(failure)
}

/** `null`: the answer is what was asked for. */
function failureIn(
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
  const scopes = scopesIn(answer)
  const said = { code: hide(code), message: hide(text(answer['message']) ?? '') }
  return { kind: 'answer', status, ...said, ...(scopes.length === 0 ? {} : { scopes }) }
}

function scopesIn(answer: Json): readonly string[] {
  const detail = object(answer['accessdenieddetail']) ?? object(answer['accessDeniedDetail']) ?? answer
  return list(detail['requiredScopes'])
    .filter((scope): scope is string => typeof scope === 'string' && /^[\w.:-]{1,100}$/.test(scope))
    .slice(0, 10)
}
