import { ProviderError, type TokenReplay } from '../exchange.ts'
import { findChildren, findElements, type XmlElement } from '../wire/xml.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { ASSERTION, PROTOCOL, SUCCESS } from './names.ts'
import { decodePostMessage, inflateMessage, isSignedQuery, type MessageParam } from './messages.ts'
import type { SamlSettings } from './settings.ts'
import { type LogoutSubject, parseNameId } from './subject.ts'
import { samlXml, verifyMessage } from './verified-assertion.ts'

/** A message as received at `sls/`. */
export interface SamlMessage {
  /** `redirect`: in the query of a GET; `post`: in a form. */
  readonly binding: 'redirect' | 'post'
  readonly params: URLSearchParams
  /** The query as it was sent, without `?`: signatures of the redirect binding cover its octets. */
  readonly rawQuery: string
}

/** A message signed by the provider. */
export type CheckedLogout =
  | CheckedLogoutRequest
  /** The response to our request with the ID `inResponseTo`. `success`: whether the provider signed out everywhere. */
  | { readonly kind: 'response'; readonly inResponseTo: string; readonly success: boolean }

/** A provider's request to end sessions. */
export interface CheckedLogoutRequest {
  readonly kind: 'request'
  readonly id: string
  readonly subject: LogoutSubject
  /** Entity IDs of the provider and of this site. */
  readonly parties: { readonly issuer: string; readonly service: string }
  readonly relayState: string
  /** The record that makes it valid only once. */
  readonly replay: TokenReplay
}

const SKEW_MS = 60_000
/** Maximum age of a message. */
const MAX_AGE_MS = 600_000

const samlLogoutError = (why: string): ProviderError => new ProviderError('unknown', `SAML: ${why}`)

/**
 * Checks a logout message: that it's recent, and signed by the provider for this site.
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
  if (root.name !== wanted || root.namespace !== PROTOCOL) throw samlLogoutError('it is no message about logging out')
  if (findChildren(root, ASSERTION, 'Issuer')[0]?.text.trim() !== idp.entityId)
    throw samlLogoutError('it is of another provider')
  const destination = attributes.get('Destination')
  if (destination !== undefined && destination !== settings.service.sls)
    throw samlLogoutError('it is for another address')
  const sentMs = Date.parse(attributes.get('IssueInstant') ?? '')
  const until = attributes.get('NotOnOrAfter')
  const isOver = until !== undefined && !(Date.parse(until) > nowMs - SKEW_MS)
  // Negated, so that it refuses `NaN`.
  if (isOver || !(sentMs > nowMs - MAX_AGE_MS && sentMs < nowMs + SKEW_MS))
    throw samlLogoutError('it is too old or too new')
  if (param === 'SAMLResponse') return parseLogoutResponse(root)
  const parties = { issuer: idp.entityId, service: settings.service.entityId }
  return parseLogoutRequest(root, parties, {
    relayState: message.params.get('RelayState') ?? '',
    untilMs: sentMs + MAX_AGE_MS,
  })
}

async function signedMessage(
  { binding, params, rawQuery }: SamlMessage,
  param: MessageParam,
  idp: IdentityProvider,
  settings: SamlSettings,
): Promise<XmlElement> {
  const packed = params.get(param) ?? ''
  if (packed === '') throw samlLogoutError('there is no message')
  if (binding === 'post') return verifyMessage(decodePostMessage(packed), idp.certificates, settings)
  if (!isSignedQuery(rawQuery, param, idp.certificates, settings.wants.soundAlgorithms)) {
    throw samlLogoutError('there is no signature by the provider')
  }
  return samlXml(inflateMessage(packed))
}

function parseLogoutRequest(
  root: XmlElement,
  parties: CheckedLogoutRequest['parties'],
  { relayState, untilMs }: { readonly relayState: string; readonly untilMs: number },
): CheckedLogoutRequest {
  const id = root.attributes.get('ID') ?? ''
  const nameId = findChildren(root, ASSERTION, 'NameID')[0]
  if (id === '' || nameId === undefined) throw samlLogoutError('it does not say who it is about')
  const sessionIndexes = findChildren(root, PROTOCOL, 'SessionIndex').map(({ text }) => text.trim())
  return {
    kind: 'request',
    id,
    subject: { ...parseNameId(nameId), sessionIndexes },
    parties,
    relayState,
    replay: { issuer: parties.issuer, jti: `logout:${id}`, expiresAtMs: untilMs },
  }
}

function parseLogoutResponse(root: XmlElement): CheckedLogout {
  const code = findElements(root, PROTOCOL, 'StatusCode')[0]?.attributes.get('Value')
  return { kind: 'response', inResponseTo: root.attributes.get('InResponseTo') ?? '', success: code === SUCCESS }
}
