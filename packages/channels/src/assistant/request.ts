import type { Clock } from '../platform-io.ts'
import { mask, type Secret } from '../secret.ts'
import { AssistantError } from './assistant.ts'
import { limitBytes, toSingleLine, type ByteLimits } from './wire-answer.ts'
import type { Watch } from './watch.ts'

/** How to call one endpoint. */
export interface Endpoint {
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Redacted from the endpoint's error messages. */
  readonly apiKey: Secret | null
}

/**
 * Makes one request without following redirects, and throws for every unsuccessful status.
 * @param onStatus Receives the status before it is checked.
 * @throws {AssistantError} by `statusCode`; `unreachable` without a response. The reason of `watch.signal` when aborted.
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
    throw new AssistantError('unreachable', `Couldn't reach ${new URL(url).host}${networkCode(error)}.`)
  }
  watch.heard()
  onStatus(response.status)
  if (response.ok) return response
  throw await statusError(endpoint, new URL(url).host, response, watch)
}

/**
 * Yields the body within limits.
 * @throws {AssistantError} `malformed`, also when the connection was lost before the end.
 */
export async function* responseBytes(
  response: Response,
  limits: ByteLimits,
  watch: Watch,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return
  try {
    yield* limitBytes(response.body, limits, () => watch.heard())
  } catch (error) {
    watch.signal.throwIfAborted()
    if (error instanceof AssistantError) throw error
    throw new AssistantError('malformed', `The connection was lost mid-response${networkCode(error)}.`)
  }
}

/** Returns the media type without parameters, in lower case; empty when there is none. */
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
  const serverMessage = await errorText(response, watch)
  const key = endpoint.apiKey?.reveal()
  const detail = toSingleLine(key === undefined ? serverMessage : serverMessage.replaceAll(key, mask(key)))
  const retryAfterMs = retryAfter(response.headers.get('retry-after'), endpoint.clock.now())
  const message = `${host} ${describeStatus(status)} (HTTP ${status})${detail === '' ? '' : `: ${detail}`}`
  return new AssistantError(statusCode(status), message, retryAfterMs === null ? {} : { retryAfterMs })
}

function statusCode(status: number): AssistantError['code'] {
  if (status === 429 || status === 409 || status === 425) return 'busy'
  if (status >= 500 || status === 408) return 'unreachable'
  if (status < 400 || [401, 402, 403, 404, 405, 410].includes(status)) return 'misconfigured'
  return 'refused'
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return 'rejected the API key'
  if (status === 404) return "doesn't know this URL or model"
  if (status >= 300 && status < 400) return 'returned a redirect, which is not followed'
  if (status === 429) return 'is rate limiting requests'
  return status >= 500 ? 'failed' : 'refused the request'
}

/** Returns the error message from the usual members of a JSON body; empty for anything else, such as an HTML page. */
async function errorText(response: Response, watch: Watch): Promise<string> {
  try {
    const chunks = await Array.fromAsync(responseBytes(response, ERROR_BODY, watch))
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    return firstText(body, ['error', 'message', 'detail'])
  } catch {
    watch.signal.throwIfAborted()
    return '' // not JSON, or incomplete: the status is enough
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

/** Returns e.g. ` (ECONNREFUSED)`: the code of the network error, never its message, which may contain the URL. */
function networkCode(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string') return ` (${at.code})`
  return ''
}
