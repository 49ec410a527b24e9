import { isIP } from 'node:net'
import { AddressNotPublic, createPublicNetwork, isPublicAddress, type PublicNetwork } from '@gatepost/sql'
import type { Clock } from '../../kernel/io.ts'
import { isLoopback } from '../apps/app-options.ts'
import { ProviderError } from '../exchange.ts'

const PORTS = new Set(['', '80', '443', '8080', '8443'])

/**
 * Refuses a URL that a visitor typed, or that a page of theirs contains, unless it can be on the public internet.
 * Hostnames are resolved and checked later, when connecting.
 * @param allowLoopback For development: lets a site on this machine connect to others on it.
 * @throws {ProviderError} `unknown`
 */
export function requirePublic(address: string, allowLoopback: boolean): URL {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw unsafeAddressError('is no web address')
  if (url.username !== '' || url.password !== '') throw unsafeAddressError('has a password')
  if (allowLoopback && isLoopback(url.hostname)) return url
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isName = isIP(host) === 0
  if (isName ? !/\.[a-z][a-z\d-]*[a-z\d]$/i.test(host) || isReserved(host) : !isPublicAddress(host)) {
    throw unsafeAddressError('is not public')
  }
  if (!PORTS.has(url.port)) throw unsafeAddressError('has an unusual port')
  return url
}

/** Returns whether no public server can have this name. @see RFC 6761, RFC 6762, RFC 8375, RFC 9476 */
const isReserved = (host: string): boolean =>
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|arpa|onion|alt|invalid)$/i.test(host)

const unsafeAddressError = (why: string): ProviderError =>
  new ProviderError('unknown', `an address that was given ${why}`)

/** Sends a request to a provider, unless the host has another way, such as a proxy. */
export const sendToProvider = (request: Request): Promise<Response> => fetch(request)

/** Statuses of responses without a body. @see Fetch Standard, "null body status" */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

/**
 * Returns a `fetch` for URLs accepted by `requirePublic`. It connects only to public addresses, or to loopback for a
 * loopback hostname. Doesn't follow redirects.
 */
export function publicFetch(network: PublicNetwork) {
  return async (request: Request): Promise<Response> => {
    if (isLoopback(new URL(request.url).hostname)) return fetch(request)
    try {
      return await network.fetch(request)
    } catch (error) {
      throw error instanceof AddressNotPublic ? unsafeAddressError('is not public') : error
    }
  }
}

/** The `fetch` for URLs that visitors enter. */
export const fetchPublic: (request: Request) => Promise<Response> = publicFetch(createPublicNetwork())

/** Maximum size of a reply in bytes. */
const MAX_REPLY_BYTES = 1_048_576

/**
 * Returns a `fetch` for providers with limits on the time until the end of the reply and on its size. Doesn't follow
 * redirects.
 * @param send The host's function for requests to providers.
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
    // The loser's error is ignored.
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
      if (length > MAX_REPLY_BYTES) throw new ProviderError('unknown', `the answer of ${host} is too large`)
      chunks.push(chunk)
    }
  }
  return new Uint8Array(Buffer.concat(chunks))
}
