import type { LookupAddress, LookupOptions } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Clock } from '../../kernel/io.ts'
import { isLoopback } from '../apps/app-options.ts'
import { ProviderError } from '../exchange.ts'

/** Networks without public servers. @see IANA, "IPv4 Special-Purpose Address Registry" */
const NOT_PUBLIC: readonly (readonly [net: string, prefix: number, type: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
]

const blocked = new BlockList()
for (const [net, prefix, type] of NOT_PUBLIC) blocked.addSubnet(net, prefix, type)
/** The IPv6 addresses that are allocated for public use. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
/** Exceptions: tunnels, which lead to any IPv4 address, and documentation. */
const tunnels = new BlockList()
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  tunnels.addSubnet(net, prefix, 'ipv6')
}

/** Returns whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !blocked.check(address, 'ipv4')
  return version === 6 && globalUnicast.check(address, 'ipv6') && !tunnels.check(address, 'ipv6')
}

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

/** Resolves a hostname. */
type FindAddresses = (host: string) => Promise<LookupAddress[]>

const resolveByDns: FindAddresses = async (host) => (await import('node:dns/promises')).lookup(host, { all: true })

/**
 * Returns a `fetch` for URLs accepted by `requirePublic`. It connects only to public addresses, or to loopback for a
 * loopback hostname: to the same addresses that were checked, so that a name can't resolve differently in between.
 * Doesn't follow redirects.
 * @param isPublic Replaced in tests, which have no public addresses.
 */
export function publicFetch(
  find: FindAddresses = resolveByDns,
  isPublic: (address: string) => boolean = isPublicAddress,
) {
  return async (request: Request): Promise<Response> => {
    const { hostname, protocol } = new URL(request.url)
    if (isLoopback(hostname)) return fetch(request)
    const found = await find(hostname.replaceAll(/[[\]]/g, ''))
    const usable = found.filter(({ address }) => isPublic(address))
    const [first] = usable
    if (first === undefined) throw unsafeAddressError('is not public')
    const lookup = (_host: string, options: LookupOptions, done: LookupDone): void =>
      options.all === true ? done(null, usable) : done(null, first.address, first.family)
    const http = await (protocol === 'http:' ? import('node:http') : import('node:https'))
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer())
    const { method, headers, signal } = request
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const options = { method, headers: Object.fromEntries(headers), signal, lookup }
    http.request(request.url, options, resolve).on('error', reject).end(body)
    return toFetchResponse(await promise)
  }
}

type LookupDone = (error: Error | null, address: string | LookupAddress[], family?: number) => void

function toFetchResponse(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 502
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
  if (WITHOUT_BODY.has(status)) answer.resume()
  return new Response(WITHOUT_BODY.has(status) ? null : ReadableStream.from<Uint8Array>(answer), { status, headers })
}

/** The `fetch` for URLs that visitors enter. */
export const fetchPublic: (request: Request) => Promise<Response> = publicFetch()

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
