import { createVerify, sign } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { EmulatedPerson } from '../shape.ts'
import { assertionRoot, element, protocolRoot, signedElement, type XmlSigning, xmlText } from './xml.ts'

const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:'
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const NAME_FORMAT = 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri'
const PASSWORD = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const EMAIL_ADDRESS = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const LIFE_MS = 300_000

/** Content of an assertion. */
export interface AssertionData {
  readonly id: string
  readonly issuer: string
  /** Entity id of the service provider. */
  readonly audience: string
  readonly recipient: string
  readonly inResponseTo: string | null
  readonly nowMs: number
  readonly nameId: string
  readonly isEmailNameId: boolean
  readonly attributes: Readonly<Record<string, string>>
}

/** Formats an instant for XML. */
const instant = (ms: number): string => new Date(ms).toISOString()

/** Returns the attributes of a person, with their usual names. */
export function toAttributes(person: EmulatedPerson): Readonly<Record<string, string>> {
  return {
    'urn:oasis:names:tc:SAML:attribute:subject-id': person.id,
    ...(person.email === null ? {} : { 'urn:oid:0.9.2342.19200300.100.1.3': person.email }),
    'http://schemas.auth0.com/email_verified': String(person.emailVerified),
    'urn:oid:2.5.4.42': person.firstName,
    'urn:oid:2.5.4.4': person.lastName,
    'http://schemas.auth0.com/nickname': person.username,
  }
}

/** Returns an assertion. SAML Core 2.0, section 2.3.3 */
export function assertionXml(said: AssertionData): string {
  const ends = instant(said.nowMs + LIFE_MS)
  const answers: Readonly<Record<string, string>> =
    said.inResponseTo === null ? {} : { InResponseTo: said.inResponseTo }
  const format = said.isEmailNameId ? EMAIL_ADDRESS : PERSISTENT
  const attributes = Object.entries(said.attributes).map(([name, value]) =>
    element(
      'saml:Attribute',
      { Name: name, NameFormat: NAME_FORMAT },
      element('saml:AttributeValue', {}, xmlText(value)),
    ),
  )
  return assertionRoot(
    'Assertion',
    { ID: said.id, IssueInstant: instant(said.nowMs), Version: '2.0' },
    element('saml:Issuer', {}, xmlText(said.issuer)),
    element(
      'saml:Subject',
      {},
      element('saml:NameID', { Format: format }, xmlText(said.nameId)),
      element(
        'saml:SubjectConfirmation',
        { Method: BEARER },
        element('saml:SubjectConfirmationData', { NotOnOrAfter: ends, Recipient: said.recipient, ...answers }),
      ),
    ),
    element(
      'saml:Conditions',
      { NotBefore: instant(said.nowMs - 1000), NotOnOrAfter: ends },
      element('saml:AudienceRestriction', {}, element('saml:Audience', {}, xmlText(said.audience))),
    ),
    element(
      'saml:AuthnStatement',
      { AuthnInstant: instant(said.nowMs), SessionIndex: `session-${said.id}` },
      element('saml:AuthnContext', {}, element('saml:AuthnContextClassRef', {}, PASSWORD)),
    ),
    ...(attributes.length === 0 ? [] : [element('saml:AttributeStatement', {}, ...attributes)]),
  )
}

/** Common fields of protocol messages. */
interface MessageHead {
  readonly id: string
  readonly issuer: string
  readonly destination: string
  readonly inResponseTo: string | null
  readonly nowMs: number
}

const toHeadAttributes = ({ id, destination, inResponseTo, nowMs }: MessageHead): Readonly<Record<string, string>> => ({
  ID: id,
  Version: '2.0',
  IssueInstant: instant(nowMs),
  Destination: destination,
  ...(inResponseTo === null ? {} : { InResponseTo: inResponseTo }),
})

const issuerXml = (issuer: string): string => assertionRoot('Issuer', {}, xmlText(issuer))

/** Returns a status; errors have a second code. SAML Core 2.0, section 3.2.2 */
function statusXml(refusal: string | null): string {
  if (refusal === null) return element('samlp:Status', {}, element('samlp:StatusCode', { Value: `${STATUS}Success` }))
  const inner = element('samlp:StatusCode', { Value: `${STATUS}${refusal}` })
  return element('samlp:Status', {}, element('samlp:StatusCode', { Value: `${STATUS}Responder` }, inner))
}

/** Returns a response. SAML Core 2.0, section 3.3.3 */
export const responseXml = (head: MessageHead, refusal: string | null, ...assertions: readonly string[]): string =>
  protocolRoot('Response', toHeadAttributes(head), issuerXml(head.issuer), statusXml(refusal), ...assertions)

/** Returns a logout response. SAML Core 2.0, section 3.7.2 */
export const logoutResponseXml = (head: MessageHead): string =>
  protocolRoot('LogoutResponse', toHeadAttributes(head), issuerXml(head.issuer), statusXml(null))

/** Returns a logout request. SAML Core 2.0, section 3.7.1 */
export const logoutRequestXml = (head: MessageHead, nameId: string, sessionIndexes: readonly string[] = []): string =>
  protocolRoot(
    'LogoutRequest',
    toHeadAttributes(head),
    issuerXml(head.issuer),
    assertionRoot('NameID', { Format: PERSISTENT }, xmlText(nameId)),
    ...sessionIndexes.map((index) => element('samlp:SessionIndex', {}, xmlText(index))),
  )

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/** Returns the metadata. SAML Metadata 2.0, section 2.4.3 */
export function metadataXml(entityId: string, certificate: string, sso: string, slo: string): string {
  const bare = certificate.replaceAll(/-----[^-]+-----|\s/g, '')
  const shown = element('ds:X509Data', {}, element('ds:X509Certificate', {}, bare))
  const key = element('ds:KeyInfo', { 'xmlns:ds': 'http://www.w3.org/2000/09/xmldsig#' }, shown)
  return element(
    'md:EntityDescriptor',
    { 'xmlns:md': METADATA, entityID: entityId },
    element(
      'md:IDPSSODescriptor',
      { WantAuthnRequestsSigned: 'false', protocolSupportEnumeration: 'urn:oasis:names:tc:SAML:2.0:protocol' },
      element('md:KeyDescriptor', { use: 'signing' }, key),
      element('md:SingleLogoutService', { Binding: REDIRECT, Location: slo }),
      element('md:NameIDFormat', {}, PERSISTENT),
      element('md:SingleSignOnService', { Binding: REDIRECT, Location: sso }),
    ),
  )
}

/** Returns the signed original with an attacker's assertion beside or around it. */
export function wrapAssertion(original: string, forged: string, how: 'beside' | 'inside'): readonly string[] {
  if (how === 'beside') return [forged, original]
  const place = forged.indexOf('</saml:Issuer>') + '</saml:Issuer>'.length
  const signature = /<ds:Signature.*<\/ds:Signature>/s.exec(original)?.[0] ?? ''
  const holding = signature.replace(
    '</ds:Signature>',
    `<ds:Object>${original.replace(signature, '')}</ds:Object></ds:Signature>`,
  )
  return [`${forged.slice(0, place)}${holding}${forged.slice(place)}`]
}

/** Returns a signed assertion. */
export const signedAssertion = (said: AssertionData, signing: XmlSigning): string =>
  signedElement(assertionXml(said), said.id, signing)

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const LARGEST = 64 * 1024

/** A message received by redirect. */
export interface IncomingMessage {
  readonly name: string
  readonly id: string
  readonly issuer: string
  readonly destination: string | null
  /** Consumer address of an AuthnRequest, if present. */
  readonly consumerUrl: string | null
  readonly relayState: string | null
}

const attribute = (xml: string, name: string): string | null =>
  new RegExp(`^<[^>]*\\s${name}="([^"]*)"`).exec(xml)?.[1] ?? null

/** Parses `SAMLRequest` of the redirect binding, or returns `null`. SAML Bindings 2.0, section 3.4.4 */
export function readRedirect(url: URL): IncomingMessage | null {
  let xml: string
  try {
    const packed = Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')
    xml = inflateRawSync(packed, { maxOutputLength: LARGEST })
      .toString()
      .replace(/^<\?xml[^>]*\?>\s*/, '')
  } catch {
    return null // not deflated
  }
  const name = /^<(?:\w+:)?(\w+)/.exec(xml)?.[1]
  const issuer = /<(?:\w+:)?Issuer[^>]*>([^<]+)</.exec(xml)?.[1]
  const id = attribute(xml, 'ID')
  if (name === undefined || issuer === undefined || id === null) return null
  const relayState = url.searchParams.get('RelayState')
  const consumerUrl = attribute(xml, 'AssertionConsumerServiceURL')
  return { name, id, issuer: issuer.trim(), destination: attribute(xml, 'Destination'), consumerUrl, relayState }
}

/** Whether the query is signed with the certificate's key. SAML Bindings 2.0, section 3.4.4.1 */
export function isSignedRedirect(url: URL, certificate: string): boolean {
  const raw = new Map(
    url.search
      .slice(1)
      .split('&')
      .map((pair): [string, string] => [pair.split('=')[0] ?? '', pair]),
  )
  const signed = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg']
    .map((name) => raw.get(name))
    .filter((pair) => pair !== undefined)
  const signature = Buffer.from(url.searchParams.get('Signature') ?? '', 'base64')
  if (url.searchParams.get('SigAlg') !== RSA_SHA256) return false
  return createVerify('sha256').update(signed.join('&')).verify(certificate, signature)
}

/** A message to send by redirect. */
interface OutgoingMessage {
  readonly target: string
  readonly kind: 'SAMLRequest' | 'SAMLResponse'
  readonly xml: string
  readonly relayState: string | null
  /** PEM; `null` sends it unsigned. */
  readonly key: string | null
}

/** Returns the address with the message. */
export function redirectAddress({ target, kind, xml, relayState, key }: OutgoingMessage): string {
  const packed = deflateRawSync(xml).toString('base64')
  const parts = [`${kind}=${encodeURIComponent(packed)}`]
  if (relayState !== null) parts.push(`RelayState=${encodeURIComponent(relayState)}`)
  if (key !== null) {
    parts.push(`SigAlg=${encodeURIComponent(RSA_SHA256)}`)
    parts.push(`Signature=${encodeURIComponent(sign('sha256', Buffer.from(parts.join('&')), key).toString('base64'))}`)
  }
  return `${target}${target.includes('?') ? '&' : '?'}${parts.join('&')}`
}
