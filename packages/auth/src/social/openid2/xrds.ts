import { childrenOf, readXml, type XmlElement, XmlError } from '../wire/xml.ts'

/** Where somebody is to prove an identifier. */
export interface DiscoveredOpenid {
  readonly endpoint: string
  /** `null`: the address is one of the provider itself, who then says whose it is. */
  readonly claimedId: string | null
  /** What the provider calls it. */
  readonly localId: string | null
}

const XRDS = 'xri://$xrds'
const XRD = 'xri://$xrd*($v*2.0)'
/** Type of a service where the provider says whose an identifier is. */
const SERVER = 'http://specs.openid.net/auth/2.0/server'
/** Type of a service that proves one identifier. */
const SIGNON = 'http://specs.openid.net/auth/2.0/signon'

/**
 * The best service of a Yadis document; `null`: there is none of OpenID 2.0.
 * @param identifier Whose document it is.
 * @param mayBeServer Whether it may be of the provider itself, who then says whose an identifier is.
 * @see OpenID Authentication 2.0, section 7.3.2
 */
export function readXrds(text: string, identifier: string, mayBeServer: boolean): DiscoveredOpenid | null {
  const root = parsed(text)
  if (root?.name !== 'XRDS' || root.namespace !== XRDS) return null
  const services = byPriority(childrenOf(root, XRD, 'XRD').at(-1), 'Service')
  const server = mayBeServer ? services.find((service) => hasType(service, SERVER)) : undefined
  const signon = services.find((service) => hasType(service, SIGNON))
  const service = server ?? signon
  const endpoint = service === undefined ? undefined : byPriority(service, 'URI')[0]?.text.trim()
  if (service === undefined || !endpoint) return null
  if (service === server) return { endpoint, claimedId: null, localId: null }
  const localId = childrenOf(service, XRD, 'LocalID')[0]?.text.trim()
  return { endpoint, claimedId: identifier, localId: localId || null }
}

function parsed(text: string): XmlElement | null {
  try {
    return readXml(text)
  } catch (error) {
    if (error instanceof XmlError) return null
    throw error
  }
}

const hasType = (service: XmlElement, type: string): boolean =>
  childrenOf(service, XRD, 'Type').some((element) => element.text.trim() === type)

/** The lowest number first; without one last. XRI Resolution 2.0, section 4.3.3 */
function byPriority(within: XmlElement | undefined, name: string): readonly XmlElement[] {
  const priority = ({ attributes }: XmlElement): number =>
    /^\d{1,9}$/.test(attributes.get('priority') ?? '') ? Number(attributes.get('priority')) : Infinity
  const found = within === undefined ? [] : childrenOf(within, XRD, name)
  return found.toSorted((a, b) => (priority(a) === priority(b) ? 0 : priority(a) - priority(b)))
}
