import { isRecord } from '../../kernel/settings/kind.ts'
import { type ExchangeIo, ProviderError } from '../exchange.ts'

/** A provider's reply, read completely. */
export interface ProviderReply {
  readonly status: number
  /** Without parameters, lower case. */
  readonly contentType: string
  readonly headers: Headers
  /** Untrusted. It may contain tokens, so it never appears in an error or log. */
  readonly text: string
}

/**
 * Sends a request to a provider. The caller checks the reply's status.
 * @param what Name of the call in errors, e.g. `the token request`.
 * @throws {ProviderError} `unknown` without a reply
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

/** Returns the reply if its status is one of these. @throws {ProviderError} `unknown` */
export function expectStatus(reply: ProviderReply, what: string, statuses: readonly number[] = [200]): ProviderReply {
  if (statuses.includes(reply.status)) return reply
  throw new ProviderError('unknown', `${what} was answered with status ${reply.status}`)
}

/** `source` is the text of the value (proposal "JSON.parse source text access", in V8 since 11.4). */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** Keeps integers beyond 2^53, which can be IDs, as texts. */
const keepDigits: Reviver = (_key, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? context?.source
    : value

/** Parses untrusted JSON. Integers beyond 2^53 become texts. Returns `undefined` for invalid JSON. */
export function parseForeignJson(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits)
  } catch {
    return undefined // the error's message would contain the text
  }
}

/** Returns the JSON object in a reply. @throws {ProviderError} `unknown` */
export function parseReplyObject(reply: ProviderReply, what: string): Readonly<Record<string, unknown>> {
  const value = parseForeignJson(reply.text)
  if (isRecord(value)) return value
  throw new ProviderError('unknown', `${what} was not answered with a JSON object`)
}

/** Returns the JSON object in a reply with status 200. @throws {ProviderError} `unknown` */
export const expectReplyObject = (reply: ProviderReply, what: string): Readonly<Record<string, unknown>> =>
  parseReplyObject(expectStatus(reply, what), what)
