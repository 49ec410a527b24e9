import { createVerify, sign } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const LARGEST = 64 * 1024

/** A message that came by redirect, as far as it is read. */
export interface IncomingMessage {
  readonly name: string
  readonly id: string
  readonly issuer: string
  readonly destination: string | null
  /** Of an AuthnRequest, when it names one. */
  readonly consumerUrl: string | null
  readonly relayState: string | null
}

const attribute = (xml: string, name: string): string | null =>
  new RegExp(`^<[^>]*\\s${name}="([^"]*)"`).exec(xml)?.[1] ?? null

/** Reads `SAMLRequest` of the redirect binding; `null` when it is none. SAML Bindings 2.0, section 3.4.4 */
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

/** Whether the query is signed with the key of the certificate. SAML Bindings 2.0, section 3.4.4.1 */
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

/** Where to send a message by redirect. */
export interface OutgoingMessage {
  readonly target: string
  readonly kind: 'SAMLRequest' | 'SAMLResponse'
  readonly xml: string
  readonly relayState: string | null
  /** PEM; `null` leaves it unsigned. */
  readonly key: string | null
}

/** The address that carries the message. */
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
