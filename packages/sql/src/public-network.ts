import type { LookupAddress, LookupOptions } from 'node:dns'
import type { IncomingMessage, Agent } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { Readable } from 'node:stream'

/** Networks without public servers. IANA, "IPv4 Special-Purpose Address Registry" */
const blocked = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  blocked.addSubnet(net, prefix, 'ipv4')
}
/** The only block of IPv6 that is allocated to the public. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
/** Within it: tunnels, which lead to any IPv4 address, and documentation. IANA, "IPv6 Special-Purpose Address Registry" */
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

/** Thrown instead of connecting to a server that isn't public. Contains no address, which would reveal internal names. */
export class AddressNotPublic extends Error {
  override readonly name = 'AddressNotPublic'
  readonly code = 'ADDRESS_NOT_PUBLIC'
  constructor() {
    super('The address of this server is not public.')
  }
}

/** Requests to servers that others chose: only to public addresses, and to those that the operator allows. */
export interface PublicNetwork {
  /**
   * Sends a request like `fetch`. Connects to an address that was checked, so that DNS can't change in between, and returns
   * redirects instead of following them.
   * @throws {AddressNotPublic}
   */
  readonly fetch: typeof fetch
  /** Resolves a host name for a socket: `lookup` of `net.connect`. Fails with `AddressNotPublic`. Not called for IP addresses. */
  readonly lookup: (host: string, options: LookupOptions, done: LookupDone) => void
  /** Resolves a host name or IP address to the addresses that may be used. @throws {AddressNotPublic} if there are none */
  resolve(host: string): Promise<readonly LookupAddress[]>
}

type LookupDone = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/** Finds the addresses of a host name; returns an IP address as it is. */
type FindAddresses = (host: string) => Promise<readonly LookupAddress[]>

const findByDns: FindAddresses = async (host) => (await import('node:dns/promises')).lookup(host, { all: true })

/**
 * Creates the guard of outgoing requests.
 * @param options.allowed Host names, IP addresses and networks (`10.0.0.0/8`) that may be used although they aren't public.
 * @param options.find Replaces DNS in tests.
 */
export function createPublicNetwork(
  options: { readonly allowed?: readonly string[]; readonly find?: FindAddresses } = {},
): PublicNetwork {
  const { allowed = [], find = findByDns } = options
  const isAllowed = createAllowList(allowed)
  const agents = createAgents()
  const resolve = async (host: string): Promise<readonly LookupAddress[]> => {
    const name = host.replaceAll(/[[\]]/g, '').toLowerCase()
    const found = await find(name)
    const usable = found.filter(({ address }) => isPublicAddress(address) || isAllowed(name, address))
    if (usable.length === 0) throw new AddressNotPublic()
    return usable
  }
  const answer = async (host: string, lookupOptions: LookupOptions, done: LookupDone): Promise<void> => {
    let usable: readonly LookupAddress[]
    try {
      usable = await resolve(host)
    } catch (error) {
      return done(error instanceof Error ? error : new AddressNotPublic(), [])
    }
    answerLookup(usable, lookupOptions, done)
  }
  return {
    resolve,
    lookup(host, lookupOptions, done) {
      void answer(host, lookupOptions, done)
    },
    async fetch(input, init) {
      const request = new Request(input, init)
      const { hostname, protocol } = new URL(request.url)
      const usable = await resolve(hostname)
      const body = request.body === null ? null : Buffer.from(await request.arrayBuffer())
      const { request: send } = await (protocol === 'http:' ? import('node:http') : import('node:https'))
      const { method, headers, signal } = request
      const response = Promise.withResolvers<IncomingMessage>()
      const lookup: PublicNetwork['lookup'] = (_host, lookupOptions, done) => answerLookup(usable, lookupOptions, done)
      const agent = await agents(protocol)
      send(request.url, { method, headers: Object.fromEntries(headers), signal, lookup, agent }, response.resolve)
        .on('error', response.reject)
        .end(body)
      return toFetchResponse(await response.promise)
    },
  }
}

function answerLookup(usable: readonly LookupAddress[], options: LookupOptions, done: LookupDone): void {
  const { family } = options
  const wanted = usable.filter((one) => (family === 4 || family === 6 ? one.family === family : true))
  const [first] = wanted
  if (first === undefined) done(new AddressNotPublic(), [])
  else if (options.all === true) done(null, [...wanted])
  else done(null, first.address, first.family)
}

/** Creates the predicate of allowed names and addresses. @throws {Error} for a network that isn't valid */
function createAllowList(allowed: readonly string[]): (host: string, address: string) => boolean {
  const names = new Set<string>()
  const networks = new BlockList()
  for (const entry of allowed) {
    const [address = '', prefix] = entry.split('/', 2)
    const version = isIP(address)
    const type = version === 6 ? 'ipv6' : 'ipv4'
    if (version === 0) names.add(entry.toLowerCase())
    else if (prefix === undefined) networks.addAddress(address, type)
    else networks.addSubnet(address, Number(prefix), type)
  }
  return (host, address) => names.has(host) || networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Connections of their own: one that was opened without a check must not be reused. */
function createAgents(): (protocol: string) => Promise<Agent> {
  const agents = new Map<string, Promise<Agent>>()
  const open = async (protocol: string): Promise<Agent> => {
    const { Agent } = await (protocol === 'http:' ? import('node:http') : import('node:https'))
    return new Agent({ keepAlive: true, timeout: 60_000 })
  }
  return (protocol) => {
    const agent = agents.get(protocol) ?? open(protocol)
    agents.set(protocol, agent)
    return agent
  }
}

/** Statuses without a body. Fetch Standard, "null body status" */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

function toFetchResponse(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 502
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
  if (WITHOUT_BODY.has(status)) {
    answer.resume()
    return new Response(null, { status, headers })
  }
  const body = Readable.toWeb(answer) as ReadableStream<Uint8Array> // an HTTP response consists of bytes
  return new Response(body, { status, headers })
}
