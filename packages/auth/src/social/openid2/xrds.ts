import { findChildren, readXml, type XmlElement, XmlError } from '../wire/xml.ts'

/** Where somebody is to prove an identifier. */
export interface DiscoveredOpenid {
  readonly endpoint: string
  /** `null`: an identifier of the provider itself, which then chooses the claimed id. */
  readonly claimedId: string | null
  /** What the provider calls it. */
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
export function readXrds(text: string, identifier: string, mayBeServer: boolean): DiscoveredOpenid | null {
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

/** The lowest number first; without one last. XRI Resolution 2.0, section 4.3.3 */
function sortByPriority(within: XmlElement | undefined, name: string): readonly XmlElement[] {
  const priority = ({ attributes }: XmlElement): number =>
    /^\d{1,9}$/.test(attributes.get('priority') ?? '') ? Number(attributes.get('priority')) : Infinity
  const found = within === undefined ? [] : findChildren(within, XRD, name)
  return found.toSorted((a, b) => (priority(a) === priority(b) ? 0 : priority(a) - priority(b)))
}
