import { isRecord } from '../../kernel/settings/kind.ts'
import { type ExchangeIo, ProviderError } from '../exchange.ts'

/** What a provider answered, read to its end. */
export interface ProviderReply {
  readonly status: number
  /** Without parameters, lower case. */
  readonly contentType: string
  readonly headers: Headers
  /** Untrusted, and may hold tokens: never in an error or a log. */
  readonly text: string
}

/**
 * Asks a provider.
 * @param what Names the call in errors, e.g. `the token request`.
 * @throws {ProviderError} `unknown` without an answer; its status is the caller's to judge
 */
export async function askProvider(io: ExchangeIo, request: Request, what: string): Promise<ProviderReply> {
  try {
    const response = await io.fetch(request)
    const contentType = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
    return { status: response.status, contentType, headers: response.headers, text: await response.text() }
  } catch (cause) {
    if (cause instanceof ProviderError) throw cause
    throw new ProviderError('unknown', `${what} got no answer`, { cause })
  }
}

/** The reply, if its status is one of these. @throws {ProviderError} `unknown` */
export function expectStatus(reply: ProviderReply, what: string, statuses: readonly number[] = [200]): ProviderReply {
  if (statuses.includes(reply.status)) return reply
  throw new ProviderError('unknown', `${what} was answered with status ${reply.status}`)
}

/** `source` is the text of the value: proposal "JSON.parse source text access", part of V8 since 11.4. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** Ids may be integers beyond 2^53: those stay texts, digit by digit. */
const keepDigits: Reviver = (_key, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? context?.source
    : value

/** JSON of a stranger; integers that a number cannot hold are texts. `undefined`: it is no JSON. */
export function parseForeignJson(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits)
  } catch {
    return undefined // the message of the error would quote the text
  }
}

/** The object that a reply is. @throws {ProviderError} `unknown` */
export function parseReplyObject(reply: ProviderReply, what: string): Readonly<Record<string, unknown>> {
  const value = parseForeignJson(reply.text)
  if (isRecord(value)) return value
  throw new ProviderError('unknown', `${what} was not answered with a JSON object`)
}

/** The object that a good reply is. @throws {ProviderError} `unknown` */
export const expectReplyObject = (reply: ProviderReply, what: string): Readonly<Record<string, unknown>> =>
  parseReplyObject(expectStatus(reply, what), what)
