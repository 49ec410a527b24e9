import type { PlatformIo } from '../../platform.ts'
import { isObject, parseJson } from '../wire/json.ts'
import { isBeforeSending, readUpTo, reasonOf } from './network.ts'
import type { Answer, DiscordFailure } from './outcome.ts'
import { openRest, type Rest, type RestCall } from './sdk.ts'

/** How long one call may take. */
export interface CallLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

export type Download =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly mime?: string }
  | { readonly ok: false; readonly problem: 'too_large' | 'gone' | 'unavailable'; readonly detail: string }

/** Everything that leaves this machine over HTTP for one bot: no method throws, and no text it returns holds the token. */
export interface DiscordClient {
  readonly apiUrl: string
  call(call: RestCall, limits: CallLimits): Promise<Answer>
  /** Without the token. @param url Checked by the caller. */
  download(url: string, maxBytes: number, limits: CallLimits): Promise<Download>
}

/** Largest answer that is read, in bytes: 100 messages with embeds are far below. */
const ANSWER_BYTES = 16 * 1024 * 1024

export function openClient(token: string, apiUrl: string, io: PlatformIo): DiscordClient {
  const redact = (words: string): string => withoutToken(words, token)
  let rest: Promise<Rest> | undefined
  /** Once refused the token stays so, and asking too often blocks the whole address. */
  let rejection: DiscordFailure | null = null

  async function ask(call: RestCall, signal: AbortSignal, why: () => string | undefined): Promise<Answer> {
    rest ??= openRest(token, apiUrl, (url, init) => perform(io, url, init))
    const opened = await rest
    try {
      return { ok: true, result: await opened.call(call, signal) }
    } catch (error) {
      const stopped = why()
      if (stopped !== undefined) return failed({ kind: 'unanswered', detail: stopped })
      const failure = opened.readFailure(error) ?? failureOf(error)
      const told = failure.kind === 'answer' ? { ...failure, description: redact(failure.description) } : failure
      if (told.kind === 'answer' && told.status === 401) rejection = told
      return failed(told)
    }
  }

  return {
    apiUrl,
    async call(call, limits) {
      if (rejection !== null) return failed(rejection)
      if (limits.signal.aborted) return failed({ kind: 'unsent', detail: 'stopped before it was sent' })
      return limited(io, limits, (signal, why) => ask(call, signal, why))
    },
    download: (url, maxBytes, limits) =>
      limited(io, limits, async (signal, why) => {
        try {
          return await fetchFile(io, url, maxBytes, signal)
        } catch (error) {
          return { ok: false, problem: 'unavailable', detail: why() ?? reasonOf(error) }
        }
      }),
  }
}

const failed = (failure: DiscordFailure): Answer => ({ ok: false, failure })

function withoutToken(words: string, token: string): string {
  const secret = token.slice(token.indexOf('.') + 1)
  return words.replaceAll(token, '<token>').replaceAll(secret, '<token>').replaceAll(/\s+/g, ' ').slice(0, 300)
}

class Foreign extends Error {
  readonly status: number
  constructor(status: number) {
    super(`HTTP ${status} with something else than an answer of Discord's (a proxy in between?)`)
    this.status = status
  }
}

/** What an error says that is none of the library's. */
function failureOf(error: unknown): DiscordFailure {
  if (error instanceof Foreign) return { kind: 'foreign', status: error.status, detail: error.message }
  return { kind: isBeforeSending(error) ? 'unsent' : 'unanswered', detail: reasonOf(error) }
}

/** Hands the library only answers that it can read. */
async function perform(io: PlatformIo, url: string, init: RequestInit): Promise<Response> {
  const { method, headers, body, signal } = init
  const response = await io.fetch(url, {
    redirect: 'manual', // it would carry the token elsewhere
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined || body === null ? {} : { body }),
  })
  const { status } = response
  const bytes = await readUpTo(response, ANSWER_BYTES)
  if (bytes === null || status < 200 || (status >= 300 && status < 400)) throw new Foreign(status)
  const passed = { status, headers: headersFor(response) }
  // says that it is JSON, and is empty
  if (status === 204 || bytes.length === 0)
    return new Response(null, { ...passed, headers: withoutType(passed.headers) })
  const isJson = passed.headers.get('content-type')?.startsWith('application/json') === true
  const value = isJson ? parseJson(new TextDecoder().decode(bytes)) : undefined
  if (status === 429) return new Response(isObject(value) ? bytes : null, passed)
  if (!isObject(value) && !Array.isArray(value)) throw new Foreign(status)
  return new Response(bytes, passed)
}

/** Those that the library reads. */
const READ_HEADERS = /^(?:content-type|retry-after|x-ratelimit-.*)$/i

const headersFor = (response: Response): Headers =>
  new Headers([...response.headers].filter(([name]) => READ_HEADERS.test(name)))

function withoutType(headers: Headers): Headers {
  headers.delete('content-type')
  return headers
}

async function fetchFile(io: PlatformIo, url: string, maxBytes: number, signal: AbortSignal): Promise<Download> {
  const response = await io.fetch(url, { signal, redirect: 'manual' })
  if (response.status !== 200) {
    await response.body?.cancel()
    const problem = response.status === 403 || response.status === 404 ? 'gone' : 'unavailable'
    return { ok: false, problem, detail: `HTTP ${response.status} for the file` }
  }
  const bytes = await readUpTo(response, maxBytes)
  if (bytes === null) return { ok: false, problem: 'too_large', detail: `larger than ${maxBytes} bytes` }
  const mime = response.headers.get('content-type')
  return { ok: true, bytes, ...(mime === null ? {} : { mime }) }
}

/** Runs `work` within its time; `why` says what stopped it, if something did. */
async function limited<R>(
  io: PlatformIo,
  limits: CallLimits,
  work: (signal: AbortSignal, why: () => string | undefined) => Promise<R>,
): Promise<R> {
  const over = new AbortController()
  const timer = new AbortController()
  let timedOut = false
  void io.clock.sleep(limits.timeoutMs, timer.signal).then(() => {
    if (timer.signal.aborted) return
    timedOut = true
    over.abort()
  })
  const stop = (): void => over.abort()
  limits.signal.addEventListener('abort', stop, { once: true })
  const why = (): string | undefined => {
    if (timedOut) return `no answer within ${limits.timeoutMs / 1000} s`
    return limits.signal.aborted ? 'stopped before the answer came' : undefined
  }
  try {
    return await work(over.signal, why)
  } finally {
    limits.signal.removeEventListener('abort', stop)
    timer.abort(null) // by default each would make an error with a stack
  }
}
