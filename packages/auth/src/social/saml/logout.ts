import { ProviderError, type TokenReplay } from '../exchange.ts'
import { childrenOf, elementsOf, type XmlElement } from '../wire/xml.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { ASSERTION, PROTOCOL, SUCCESS } from './names.ts'
import { decodedPost, inflated, isSignedQuery, type MessageParam } from './redirect-binding.ts'
import type { SamlSettings } from './settings.ts'
import { type LogoutSubject, nameOf } from './subject.ts'
import { samlXml, verifiedMessage } from './verified-assertion.ts'

/** A message as it came to `sls/`. */
export interface SamlMessage {
  /** `redirect`: of the query of a GET, `post`: of a form. */
  readonly binding: 'redirect' | 'post'
  readonly params: URLSearchParams
  /** The query as it was sent, without `?`: signatures of the redirect binding cover its octets. */
  readonly rawQuery: string
}

/** A message that the provider signed. */
export type CheckedLogout =
  | CheckedLogoutRequest
  /** The answer to a request of ours; `inResponseTo` is its id. `success`: whether the provider signed out everywhere. */
  | { readonly kind: 'response'; readonly inResponseTo: string; readonly success: boolean }

/** A provider wants sessions to end. */
export interface CheckedLogoutRequest {
  readonly kind: 'request'
  readonly id: string
  readonly subject: LogoutSubject
  /** Entity ids of the provider and of us. */
  readonly parties: { readonly issuer: string; readonly service: string }
  readonly relayState: string
  /** It counts once. */
  readonly replay: TokenReplay
}

const SKEW_MS = 60_000
/** A message that is older was delayed on purpose. */
const OLDEST_MS = 600_000

const refused = (why: string): ProviderError => new ProviderError('unknown', `SAML: ${why}`)

/**
 * Checks a message about logging out: signed, of the provider, for us, of now.
 * @throws {ProviderError} `unknown`
 * @see Profiles for SAML 2.0, section 4.4
 */
export async function checkLogout(
  message: SamlMessage,
  idp: IdentityProvider,
  settings: SamlSettings,
  nowMs: number,
): Promise<CheckedLogout> {
  const param: MessageParam = message.params.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse'
  const root = await signedMessage(message, param, idp, settings)
  const { attributes } = root
  const wanted = param === 'SAMLRequest' ? 'LogoutRequest' : 'LogoutResponse'
  if (root.name !== wanted || root.namespace !== PROTOCOL) throw refused('it is no message about logging out')
  if (childrenOf(root, ASSERTION, 'Issuer')[0]?.text.trim() !== idp.entityId) throw refused('it is of another provider')
  const destination = attributes.get('Destination')
  if (destination !== undefined && destination !== settings.service.sls) throw refused('it is for another address')
  const sentMs = Date.parse(attributes.get('IssueInstant') ?? '')
  const until = attributes.get('NotOnOrAfter')
  const isOver = until !== undefined && !(Date.parse(until) > nowMs - SKEW_MS)
  // `NaN` fits nowhere.
  if (isOver || !(sentMs > nowMs - OLDEST_MS && sentMs < nowMs + SKEW_MS)) throw refused('it is too old or too new')
  if (param === 'SAMLResponse') return responseOf(root)
  const parties = { issuer: idp.entityId, service: settings.service.entityId }
  return requestOf(root, parties, { relayState: message.params.get('RelayState') ?? '', untilMs: sentMs + OLDEST_MS })
}

async function signedMessage(
  { binding, params, rawQuery }: SamlMessage,
  param: MessageParam,
  idp: IdentityProvider,
  settings: SamlSettings,
): Promise<XmlElement> {
  const packed = params.get(param) ?? ''
  if (packed === '') throw refused('there is no message')
  if (binding === 'post') return verifiedMessage(decodedPost(packed), idp.certificates, settings)
  if (!isSignedQuery(rawQuery, param, idp.certificates, settings.wants.soundAlgorithms)) {
    throw refused('there is no signature by the provider')
  }
  return samlXml(inflated(packed))
}

function requestOf(
  root: XmlElement,
  parties: CheckedLogoutRequest['parties'],
  { relayState, untilMs }: { readonly relayState: string; readonly untilMs: number },
): CheckedLogoutRequest {
  const id = root.attributes.get('ID') ?? ''
  const nameId = childrenOf(root, ASSERTION, 'NameID')[0]
  if (id === '' || nameId === undefined) throw refused('it does not say who it is about')
  const sessionIndexes = childrenOf(root, PROTOCOL, 'SessionIndex').map(({ text }) => text.trim())
  return {
    kind: 'request',
    id,
    subject: { ...nameOf(nameId), sessionIndexes },
    parties,
    relayState,
    replay: { issuer: parties.issuer, jti: `logout:${id}`, expiresAtMs: untilMs },
  }
}

function responseOf(root: XmlElement): CheckedLogout {
  const code = elementsOf(root, PROTOCOL, 'StatusCode')[0]?.attributes.get('Value')
  return { kind: 'response', inResponseTo: root.attributes.get('InResponseTo') ?? '', success: code === SUCCESS }
}
