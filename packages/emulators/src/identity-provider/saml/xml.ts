import { createHash, sign } from 'node:crypto'

const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion'
const SAMLP = 'urn:oasis:names:tc:SAML:2.0:protocol'
const DSIG = 'http://www.w3.org/2000/09/xmldsig#'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'

const METHODS = {
  sha256: ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'http://www.w3.org/2001/04/xmlenc#sha256'],
  sha1: ['http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'http://www.w3.org/2000/09/xmldsig#sha1'],
} as const

/** Key and algorithm of a signature. */
export interface XmlSigning {
  /** PEM. */
  readonly key: string
  /** PEM, included in the signature. */
  readonly certificate: string
  readonly hash: keyof typeof METHODS
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;')

const escapeAttribute = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#x9;')
    .replaceAll('\n', '&#xA;')
    .replaceAll('\r', '&#xD;')

/** Escapes text content. */
export const xmlText = escapeText

/** Returns an element in the form of Exclusive XML Canonicalization 1.0, so that it can be signed as written. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly string[]
): string {
  const all = Object.entries(attributes).toSorted(([a], [b]) => {
    const rank = (key: string): string => (key.startsWith('xmlns') ? `0${key}` : `1${key}`)
    return rank(a) < rank(b) ? -1 : 1
  })
  const written = all.map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`).join('')
  return `<${name}${written}>${children.join('')}</${name}>`
}

/** Returns an element that declares the namespace of assertions. */
export const assertionRoot = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly string[]
): string => element(`saml:${name}`, { 'xmlns:saml': SAML, ...attributes }, ...children)

/** Returns an element that declares the namespace of the protocol. */
export const protocolRoot = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly string[]
): string => element(`samlp:${name}`, { 'xmlns:samlp': SAMLP, ...attributes }, ...children)

const empty = (name: string, algorithm: string): string => element(`ds:${name}`, { Algorithm: algorithm })

/** Returns the element with a signature after its issuer. @see XML Signature Syntax and Processing 1.1; SAML Core 2.0, section 5.4 */
export function signedElement(xml: string, id: string, { key, certificate, hash }: XmlSigning): string {
  const [signatureMethod, digestMethod] = METHODS[hash]
  const parts = [
    empty('CanonicalizationMethod', EXCLUSIVE),
    empty('SignatureMethod', signatureMethod),
    element(
      'ds:Reference',
      { URI: `#${id}` },
      element('ds:Transforms', {}, empty('Transform', ENVELOPED), empty('Transform', EXCLUSIVE)),
      empty('DigestMethod', digestMethod),
      element('ds:DigestValue', {}, createHash(hash).update(xml).digest('base64')),
    ),
  ]
  const value = sign(hash, Buffer.from(element('ds:SignedInfo', { 'xmlns:ds': DSIG }, ...parts)), key).toString(
    'base64',
  )
  const bare = certificate.replaceAll(/-----[^-]+-----|\s/g, '')
  const shown = element('ds:X509Data', {}, element('ds:X509Certificate', {}, bare))
  const signature = element(
    'ds:Signature',
    { 'xmlns:ds': DSIG },
    element('ds:SignedInfo', {}, ...parts),
    element('ds:SignatureValue', {}, value),
    element('ds:KeyInfo', {}, shown),
  )
  const end = '</saml:Issuer>'
  const place = xml.indexOf(end) + end.length
  return `${xml.slice(0, place)}${signature}${xml.slice(place)}`
}
