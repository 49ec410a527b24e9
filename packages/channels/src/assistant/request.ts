import type { Clock } from '../platform-io.ts'
import { mask, type Secret } from '../secret.ts'
import { AssistantError } from './assistant.ts'
import { checkBytes, sentence, type ByteLimits } from './wire-answer.ts'
import type { Watch } from './watch.ts'

/** How one endpoint is asked. */
export interface Endpoint {
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Taken out of everything that the endpoint says about a failure. */
  readonly apiKey: Secret | null
}

/**
 * One request; redirects are not followed, and what is not a success is thrown.
 * @param onStatus Told the status before it is judged.
 * @throws {AssistantError} by `statusCode`; `unreachable` when no answer came. The reason of `watch.signal`, when
 * aborted.
 */
export async function request(
  endpoint: Endpoint,
  url: string,
  init: RequestInit,
  watch: Watch,
  onStatus: (status: number) => void = () => {},
): Promise<Response> {
  let response: Response
  try {
    response = await endpoint.fetch(url, { ...init, redirect: 'manual', signal: watch.signal })
  } catch (error) {
    watch.signal.throwIfAborted()
    throw new AssistantError('unreachable', `${new URL(url).host} could not be reached${networkCode(error)}.`)
  }
  watch.heard()
  onStatus(response.status)
  if (response.ok) return response
  throw await statusError(endpoint, new URL(url).host, response, watch)
}

/**
 * The body's bytes, checked.
 * @throws {AssistantError} `malformed` also when the connection broke before the end.
 */
export async function* responseBytes(
  response: Response,
  limits: ByteLimits,
  watch: Watch,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return
  try {
    yield* checkBytes(response.body, limits, () => watch.heard())
  } catch (error) {
    watch.signal.throwIfAborted()
    if (error instanceof AssistantError) throw error
    throw new AssistantError('malformed', `The answer broke off${networkCode(error)}.`)
  }
}

/** The media type without parameters, in lower case; empty when there is none. */
export const mediaType = (response: Response): string =>
  (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

const ERROR_BODY: ByteLimits = { totalBytes: 64 * 1024, lineBytes: 64 * 1024 }

async function statusError(
  endpoint: Endpoint,
  host: string,
  response: Response,
  watch: Watch,
): Promise<AssistantError> {
  const { status } = response
  const said = await errorText(response, watch)
  const key = endpoint.apiKey?.reveal()
  const words = sentence(key === undefined ? said : said.replaceAll(key, mask(key)))
  const retryAfterMs = retryAfter(response.headers.get('retry-after'), endpoint.clock.now())
  const message = `${host} ${verdict(status)} (HTTP ${status})${words === '' ? '' : `: ${words}`}`
  return new AssistantError(statusCode(status), message, retryAfterMs === null ? {} : { retryAfterMs })
}

function statusCode(status: number): AssistantError['code'] {
  if (status === 429 || status === 409 || status === 425) return 'busy'
  if (status >= 500 || status === 408) return 'unreachable'
  if (status < 400 || [401, 402, 403, 404, 405, 410].includes(status)) return 'misconfigured'
  return 'refused'
}

function verdict(status: number): string {
  if (status === 401 || status === 403) return 'did not accept the key'
  if (status === 404) return 'does not know this address or model'
  if (status >= 300 && status < 400) return 'redirected, which is not followed'
  if (status === 429) return 'asked to wait'
  return status >= 500 ? 'failed' : 'refused the request'
}

/** What the endpoint says in the usual members of a JSON body; empty otherwise: a page of HTML explains nothing. */
async function errorText(response: Response, watch: Watch): Promise<string> {
  try {
    const chunks = await Array.fromAsync(responseBytes(response, ERROR_BODY, watch))
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    return firstText(body, ['error', 'message', 'detail'])
  } catch {
    watch.signal.throwIfAborted()
    return '' // not JSON, or broken off: the status alone says enough
  }
}

function firstText(value: unknown, names: readonly string[]): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  const members = new Map(Object.entries(value))
  return names.map((name) => firstText(members.get(name), names)).find((text) => text !== '') ?? ''
}

/** @see RFC 9110 section 10.2.3: seconds, or a date. At most a day. */
function retryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), 86_400_000)
}

/** E.g. ` (ECONNREFUSED)`: the operating system's or the HTTP client's code, never its message, which may hold the URL. */
function networkCode(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string') return ` (${at.code})`
  return ''
}
