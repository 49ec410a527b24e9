import type { Clock } from '../../kernel/io.ts'
import { ProviderError } from '../exchange.ts'

/** Bytes of an answer. */
const LARGEST = 1_048_576
/** Statuses whose answers have no body (Fetch Standard, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

/**
 * Talks to providers within bounds: the answer is there, to its end, after `timeoutMs`; it is small; no redirect is
 * followed.
 * @param send What the host talks to providers with.
 * @returns a function that throws {ProviderError} `unknown`
 */
export function boundedFetch(
  send: (request: Request) => Promise<Response>,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { host } = new URL(request.url)
    const stopping = new AbortController()
    const work = sendWithinLimits(send, new Request(request, { redirect: 'manual', signal: stopping.signal }), host)
    const late = clock.sleep(timeoutMs, stopping.signal).then((): never => {
      throw new ProviderError('unknown', `${host} did not answer in time`)
    })
    // Whichever loses has nobody left to tell.
    late.catch(() => {})
    work.catch(() => {})
    try {
      return await Promise.race([work, late])
    } finally {
      stopping.abort()
    }
  }
}

async function sendWithinLimits(
  send: (request: Request) => Promise<Response>,
  request: Request,
  host: string,
): Promise<Response> {
  try {
    const response = await send(request)
    const { status, headers } = response
    const bytes = await readLimitedBody(response, host)
    const kept = new Headers(headers)
    for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name)
    return new Response(WITHOUT_BODY.has(status) ? null : bytes, { status, headers: kept })
  } catch (cause) {
    if (cause instanceof ProviderError) throw cause
    throw new ProviderError('unknown', `${host} cannot be reached`, { cause })
  }
}

async function readLimitedBody({ body }: Response, host: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  if (body !== null) {
    const read: AsyncIterable<Uint8Array> = body
    for await (const chunk of read) {
      length += chunk.byteLength
      if (length > LARGEST) throw new ProviderError('unknown', `the answer of ${host} is too large`)
      chunks.push(chunk)
    }
  }
  return new Uint8Array(Buffer.concat(chunks))
}
