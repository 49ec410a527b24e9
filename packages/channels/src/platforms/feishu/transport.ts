import type { PlatformIo } from '../../platform-io.ts'
import { readJson, readUpTo } from '../wire/body.ts'
import { type Failed, failed, foreign, within } from '../wire/call.ts'
import type { Downloaded } from '../wire/download.ts'
import { filled, integer, type Json, object, parseJson } from '../wire/json.ts'
import type { CallLimits } from '../wire/time-limit.ts'
import type { Answer, FeishuFailure } from './outcome.ts'

/** One HTTP request to the open API or to the log-in. */
export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON, or as a form where it is one. */
  readonly body?: Json | FormData | URLSearchParams
}

/** What came of a file: its bytes, or why there are none. */
export type Fetched = Downloaded | { readonly ok: false; readonly problem: 'too_large' } | Failed<FeishuFailure>

const WHOSE = 'the open API of Feishu'
/** Largest answer that is read, in bytes: a page of 50 messages is far below. */
const ANSWER_BYTES = 16 * 1024 * 1024
/** The file is larger than the platform hands out. @see "Get resource files in messages", code 234037 */
const TOO_LARGE_CODE = 234037

/** Makes one request and reads its answer. Never throws. @param hide Takes secrets out of the platform's words. */
export const askFeishu = (
  io: PlatformIo,
  request: WireRequest,
  limits: CallLimits,
  hide: (words: string) => string,
): Promise<Answer> =>
  within(io, limits, async (signal) => {
    const response = await io.fetch(addressOf(request), initOf(request, signal))
    return readAnswer(response, object(await readJson(response, ANSWER_BYTES)), hide)
  })

/** Fetches a file; its bytes come only with status 200. Never throws. */
export const downloadFile = (
  io: PlatformIo,
  request: WireRequest,
  maxBytes: number,
  limits: CallLimits,
  hide: (words: string) => string,
): Promise<Fetched> =>
  within<Fetched>(io, limits, async (signal) => {
    const response = await io.fetch(addressOf(request), initOf(request, signal))
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
  if (answer.ok) return failed(foreign(response, WHOSE))
  const { failure } = answer
  const isTooLarge = failure.kind === 'answer' && failure.code === TOO_LARGE_CODE
  return isTooLarge ? { ok: false, problem: 'too_large' } : answer
}

/** Whatever the status: only a body with a `code` is the open API's. */
function readAnswer(response: Response, body: Json | undefined, hide: (words: string) => string): Answer {
  const code = integer(body?.['code'])
  if (body === undefined || code === undefined) return failed(foreign(response, WHOSE))
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

function addressOf({ url, query }: WireRequest): string {
  const search = new URLSearchParams(query).toString()
  return search === '' ? url : `${url}?${search}`
}

function initOf({ method, headers, body }: WireRequest, signal: AbortSignal): RequestInit {
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
export async function askForm(
  io: PlatformIo,
  url: string,
  form: Readonly<Record<string, string>>,
  limits: CallLimits,
): Promise<Json | null> {
  const got = await within(io, limits, async (signal) => {
    const response = await io.fetch(url, initOf({ method: 'POST', url, body: new URLSearchParams(form) }, signal))
    return { body: object(await readJson(response, ANSWER_BYTES)) ?? null }
  })
  return 'body' in got ? got.body : null // asked again, until the code ends
}
