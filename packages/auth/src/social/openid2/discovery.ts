import { type ExchangeIo, ProviderError } from '../exchange.ts'
import { askProvider, expectStatus, type ProviderReply } from '../wire/provider-reply.ts'
import { requirePublic } from '../wire/public-fetch.ts'
import { findChildren, readXml, type XmlElement, XmlError } from '../wire/xml.ts'

/** Input of discovery. */
export interface DiscoveryIo {
  readonly io: ExchangeIo
  /** Whether addresses on this machine are allowed, for sites in development. */
  readonly allowLoopback: boolean
}

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const what = 'the discovery of an OpenID'

/**
 * Returns the normal form of an identifier that a visitor typed.
 * @throws {ProviderError} `unknown` if it isn't a web address (an XRI, for example)
 * @see OpenID Authentication 2.0, section 7.2
 */
export function normalizeIdentifier(typed: string, allowLoopback: boolean): string {
  const text = typed.trim()
  if (text === '' || text.length > 2_000) throw new ProviderError('unknown', 'no OpenID was given')
  const url = requirePublic(/^https?:\/\//i.test(text) ? text : `http://${text}`, allowLoopback)
  url.hash = ''
  return url.href
}

/**
 * Discovers the provider of an identifier: by Yadis, or else by links in its page.
 * @param identifier In normal form.
 * @param mayBeServer Whether it may identify a provider instead of a user.
 * @throws {ProviderError} `unknown`
 * @see OpenID Authentication 2.0, section 7.3; Yadis 1.0, section 6.2.5
 */
export async function discoverOpenid(
  discovery: DiscoveryIo,
  identifier: string,
  mayBeServer: boolean,
): Promise<DiscoveredOpenid> {
  const { url, reply } = await fetchPage(discovery, identifier)
  const found = reply.contentType === 'application/xrds+xml' ? readXrds(reply.text, url, mayBeServer) : null
  if (found !== null) return requirePublicEndpoint(discovery, found)
  const location = reply.headers.get('x-xrds-location') ?? xrdsLocationIn(reply.text)
  if (location !== null && URL.canParse(location, url)) {
    const document = await fetchPage(discovery, new URL(location, url).href)
    const elsewhere = readXrds(document.reply.text, url, mayBeServer)
    if (elsewhere !== null) return requirePublicEndpoint(discovery, elsewhere)
  }
  const endpoint = linkIn(reply.text, 'openid2.provider')
  if (endpoint === null) throw new ProviderError('unknown', `${what} found no provider`)
  return requirePublicEndpoint(discovery, { endpoint, claimedId: url, localId: linkIn(reply.text, 'openid2.local_id') })
}

function requirePublicEndpoint({ allowLoopback }: DiscoveryIo, found: DiscoveredOpenid): DiscoveredOpenid {
  requirePublic(found.endpoint, allowLoopback)
  return found
}

/** Fetches a page. Checks each redirect before following it. */
async function fetchPage(
  { io, allowLoopback }: DiscoveryIo,
  address: string,
): Promise<{ readonly url: string; readonly reply: ProviderReply }> {
  const headers = { accept: 'application/xrds+xml, text/html;q=0.9' }
  let url = requirePublic(address, allowLoopback)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const reply = await askProvider(io, new Request(url, { headers, redirect: 'manual' }), what)
    if (!REDIRECTS.includes(reply.status)) return { url: url.href, reply: expectStatus(reply, what) }
    const location = reply.headers.get('location') ?? ''
    if (!URL.canParse(location, url)) break
    url = requirePublic(new URL(location, url).href, allowLoopback)
    url.hash = ''
  }
  throw new ProviderError('unknown', `${what} was redirected too often`)
}

/** Returns tags in the head of a page. Other people may have written what follows. */
function parseHeadTags(html: string, name: 'link' | 'meta'): readonly ReadonlyMap<string, string>[] {
  const head = stripComments(html.slice(0, 200_000)).split(/<\/head|<body/i, 1)[0] ?? ''
  return [...head.matchAll(/<(link|meta)\b([^<>]{0,4000})>/gi)]
    .filter(([, tag = '']) => tag.toLowerCase() === name)
    .map(([, , written = '']) => parseTagAttributes(written))
}

function parseTagAttributes(written: string): ReadonlyMap<string, string> {
  const found = written.matchAll(/(?<![a-z-])([a-z][a-z-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)
  return new Map([...found].map(([, name = '', a, b, c]) => [name.toLowerCase(), unescapeEntities(a ?? b ?? c ?? '')]))
}

/** Replaces the entities that OpenID Authentication 2.0, section 7.3.3, allows. */
const unescapeEntities = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&').trim()

function stripComments(html: string): string {
  return html
    .split('<!--')
    .map((part, at) => (at === 0 ? part : part.slice(part.includes('-->') ? part.indexOf('-->') + 3 : part.length)))
    .join('')
}

/** Returns the `href` of the link with this relation, or `null`. */
function linkIn(html: string, relation: string): string | null {
  const link = parseHeadTags(html, 'link').find((tag) =>
    (tag.get('rel') ?? '').toLowerCase().split(/\s+/).includes(relation),
  )
  return link?.get('href') || null
}

/** Returns the location of a page's Yadis document, or `null`. @see Yadis 1.0, section 6.2.5 */
function xrdsLocationIn(html: string): string | null {
  const meta = parseHeadTags(html, 'meta').find(
    (tag) => (tag.get('http-equiv') ?? '').toLowerCase() === 'x-xrds-location',
  )
  return meta?.get('content') || null
}

/** A discovered provider, and the identifier to verify. */
export interface DiscoveredOpenid {
  readonly endpoint: string
  /** `null` for an identifier of the provider itself, which then chooses the claimed ID. */
  readonly claimedId: string | null
  /** The provider's own identifier of the user. */
  readonly localId: string | null
}

const XRDS = 'xri://$xrds'
const XRD = 'xri://$xrd*($v*2.0)'
/** Type of a service where the provider chooses the identifier. */
const SERVER = 'http://specs.openid.net/auth/2.0/server'
/** Type of a service that proves one identifier. */
const SIGNON = 'http://specs.openid.net/auth/2.0/signon'

/**
 * Returns the best service of a Yadis document, or `null` if none supports OpenID 2.0.
 * @param identifier Identifier of the document.
 * @param mayBeServer Whether a provider identifier is allowed, for which the provider chooses the claimed id.
 * @see OpenID Authentication 2.0, section 7.3.2
 */
function readXrds(text: string, identifier: string, mayBeServer: boolean): DiscoveredOpenid | null {
  const root = tryReadXml(text)
  if (root?.name !== 'XRDS' || root.namespace !== XRDS) return null
  const services = sortByPriority(findChildren(root, XRD, 'XRD').at(-1), 'Service')
  const server = mayBeServer ? services.find((service) => hasType(service, SERVER)) : undefined
  const signon = services.find((service) => hasType(service, SIGNON))
  const service = server ?? signon
  const endpoint = service === undefined ? undefined : sortByPriority(service, 'URI')[0]?.text.trim()
  if (service === undefined || !endpoint) return null
  if (service === server) return { endpoint, claimedId: null, localId: null }
  const localId = findChildren(service, XRD, 'LocalID')[0]?.text.trim()
  return { endpoint, claimedId: identifier, localId: localId || null }
}

function tryReadXml(text: string): XmlElement | null {
  try {
    return readXml(text)
  } catch (error) {
    if (error instanceof XmlError) return null
    throw error
  }
}

const hasType = (service: XmlElement, type: string): boolean =>
  findChildren(service, XRD, 'Type').some((element) => element.text.trim() === type)

/** Sorts the lowest priority number first, and elements without one last. @see XRI Resolution 2.0, section 4.3.3 */
function sortByPriority(within: XmlElement | undefined, name: string): readonly XmlElement[] {
  const priority = ({ attributes }: XmlElement): number =>
    /^\d{1,9}$/.test(attributes.get('priority') ?? '') ? Number(attributes.get('priority')) : Infinity
  const found = within === undefined ? [] : findChildren(within, XRD, name)
  return found.toSorted((a, b) => (priority(a) === priority(b) ? 0 : priority(a) - priority(b)))
}
