import type { RandomBytes } from '../../kernel/io.ts'
import { escapeXml } from '../wire/xml.ts'
import { ASSERTION, POST_BINDING, PROTOCOL, REQUESTER, SUCCESS, UNKNOWN_PRINCIPAL } from './names.ts'
import type { SamlSettings } from './settings.ts'
import type { SamlSubject } from './subject.ts'

/** What every message of ours has. */
interface Head {
  readonly id: string
  readonly nowMs: number
  readonly destination: string
  readonly settings: SamlSettings
}

/** Unguessable; an id must not begin with a digit. Core for SAML 2.0, section 1.3.4 */
export const messageId = (random: RandomBytes): string => `_${random(20).toString('hex')}`

const issuer = ({ service }: SamlSettings): string => `<saml:Issuer>${escapeXml(service.entityId)}</saml:Issuer>`

function openMessageElement(
  name: string,
  { id, nowMs, destination }: Head,
  more: Readonly<Record<string, string>>,
): string {
  const attributes = {
    'xmlns:samlp': PROTOCOL,
    'xmlns:saml': ASSERTION,
    ID: id,
    Version: '2.0',
    IssueInstant: new Date(nowMs).toISOString(),
    Destination: destination,
    ...more,
  }
  const written = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${escapeXml(value)}"`)
  return `<samlp:${name}${written.join('')}>`
}

/** Asks a provider who somebody is. Core for SAML 2.0, section 3.4.1 */
export function authnRequest(message: Head, forcesLogin: boolean): string {
  const { settings } = message
  const more = {
    ProtocolBinding: POST_BINDING,
    AssertionConsumerServiceURL: settings.service.acs,
    ...(forcesLogin ? { ForceAuthn: 'true' } : {}),
  }
  const policy = `<samlp:NameIDPolicy Format="${escapeXml(settings.nameIdFormat)}" AllowCreate="true"/>`
  return `${openMessageElement('AuthnRequest', message, more)}${issuer(settings)}${policy}</samlp:AuthnRequest>`
}

/** Asks a provider to end a session. Core for SAML 2.0, section 3.7.1 */
export function logoutRequest(message: Head, subject: SamlSubject): string {
  const { nameQualifier: NameQualifier, spNameQualifier: SPNameQualifier, nameIdFormat: Format } = subject
  const told = Object.entries({ NameQualifier, SPNameQualifier, Format }).filter(([, value]) => value !== '')
  const attributes = told.map(([attribute, value]) => ` ${attribute}="${escapeXml(value)}"`).join('')
  const name = `<saml:NameID${attributes}>${escapeXml(subject.nameId)}</saml:NameID>`
  const { sessionIndex } = subject
  const session = sessionIndex === '' ? '' : `<samlp:SessionIndex>${escapeXml(sessionIndex)}</samlp:SessionIndex>`
  return `${openMessageElement('LogoutRequest', message, {})}${issuer(message.settings)}${name}${session}</samlp:LogoutRequest>`
}

/** What became of a request of a provider: the session has ended, or this browser has none that is meant. */
export type LogoutResult = 'ended' | 'unknown'

const RESULTS: Readonly<Record<LogoutResult, string>> = {
  ended: `<samlp:StatusCode Value="${SUCCESS}"/>`,
  unknown: `<samlp:StatusCode Value="${REQUESTER}"><samlp:StatusCode Value="${UNKNOWN_PRINCIPAL}"/></samlp:StatusCode>`,
}

/** Tells a provider what became of its request. Core for SAML 2.0, sections 3.2.2.2 and 3.7.2 */
export function logoutResponse(message: Head, inResponseTo: string, result: LogoutResult): string {
  const opening = openMessageElement('LogoutResponse', message, { InResponseTo: inResponseTo })
  return `${opening}${issuer(message.settings)}<samlp:Status>${RESULTS[result]}</samlp:Status></samlp:LogoutResponse>`
}
