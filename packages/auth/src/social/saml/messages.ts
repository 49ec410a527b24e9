import { createSign, createVerify, X509Certificate } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { RandomBytes } from '../../kernel/io.ts'
import { ProviderError } from '../exchange.ts'
import { escapeXml } from '../wire/xml.ts'
import {
  ASSERTION,
  findHash,
  type Hash,
  POST_BINDING,
  PROTOCOL,
  REQUESTER,
  RSA_SIGNATURES,
  SUCCESS,
  UNKNOWN_PRINCIPAL,
} from './names.ts'
import type { SamlSettings } from './settings.ts'
import type { SamlSubject } from './subject.ts'

/** The header of our messages. */
interface Head {
  readonly id: string
  readonly nowMs: number
  readonly destination: string
  readonly settings: SamlSettings
}

/** Returns an unguessable ID, which must not start with a digit. @see Core for SAML 2.0, section 1.3.4 */
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

/** Returns a request to authenticate a visitor. @see Core for SAML 2.0, section 3.4.1 */
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

/** Returns a request to end a session. @see Core for SAML 2.0, section 3.7.1 */
export function logoutRequest(message: Head, subject: SamlSubject): string {
  const { nameQualifier: NameQualifier, spNameQualifier: SPNameQualifier, nameIdFormat: Format } = subject
  const told = Object.entries({ NameQualifier, SPNameQualifier, Format }).filter(([, value]) => value !== '')
  const attributes = told.map(([attribute, value]) => ` ${attribute}="${escapeXml(value)}"`).join('')
  const name = `<saml:NameID${attributes}>${escapeXml(subject.nameId)}</saml:NameID>`
  const { sessionIndex } = subject
  const session = sessionIndex === '' ? '' : `<samlp:SessionIndex>${escapeXml(sessionIndex)}</samlp:SessionIndex>`
  return `${openMessageElement('LogoutRequest', message, {})}${issuer(message.settings)}${name}${session}</samlp:LogoutRequest>`
}

/** Result of a provider's request: the session has ended, or this browser has no such session. */
export type LogoutResult = 'ended' | 'unknown'

const RESULTS: Readonly<Record<LogoutResult, string>> = {
  ended: `<samlp:StatusCode Value="${SUCCESS}"/>`,
  unknown: `<samlp:StatusCode Value="${REQUESTER}"><samlp:StatusCode Value="${UNKNOWN_PRINCIPAL}"/></samlp:StatusCode>`,
}

/** Returns the response to a provider's request. @see Core for SAML 2.0, sections 3.2.2.2 and 3.7.2 */
export function logoutResponse(message: Head, inResponseTo: string, result: LogoutResult): string {
  const opening = openMessageElement('LogoutResponse', message, { InResponseTo: inResponseTo })
  return `${opening}${issuer(message.settings)}<samlp:Status>${RESULTS[result]}</samlp:Status></samlp:LogoutResponse>`
}

/** The parameter that contains a message. */
export type MessageParam = 'SAMLRequest' | 'SAMLResponse'

/** Maximum size of a message in bytes, decompressed. */
const MAX_MESSAGE_BYTES = 262_144

/**
 * Returns the URL that sends our message to a provider.
 * @see Bindings for SAML 2.0, section 3.4.4.1
 */
export function redirectUrl(
  destination: string,
  message: {
    readonly param: MessageParam
    readonly xml: string
    readonly relayState: string
    readonly signs: boolean
  },
  { privateKey, signatureHash }: Pick<SamlSettings, 'privateKey' | 'signatureHash'>,
): string {
  const { param, xml, relayState, signs } = message
  const parts = [
    [param, deflateRawSync(xml).toString('base64')],
    ...(relayState === '' ? [] : [['RelayState', relayState]]),
    ...(signs ? [['SigAlg', RSA_SIGNATURES[signatureHash]]] : []),
  ]
  const query = parts.map(([name = '', value = '']) => `${name}=${encodeURIComponent(value)}`).join('&')
  const signature = signs ? createSign(`RSA-${signatureHash}`).update(query).sign(privateKey, 'base64') : ''
  const all = signs ? `${query}&Signature=${encodeURIComponent(signature)}` : query
  return `${destination}${destination.includes('?') ? '&' : '?'}${all}`
}

/** Decompresses a message of a query. @throws {ProviderError} `unknown` */
export function inflateMessage(base64: string): string {
  try {
    const bytes = inflateRawSync(Buffer.from(base64, 'base64'), { maxOutputLength: MAX_MESSAGE_BYTES })
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ProviderError('unknown', 'SAML: the message cannot be unpacked')
  }
}

/** Decodes a message of a form. @throws {ProviderError} `unknown` */
export function decodePostMessage(base64: string): string {
  const bare = base64.replaceAll(/\s/g, '')
  try {
    if (bare === '' || bare.length > MAX_MESSAGE_BYTES * 2 || !/^[A-Za-z\d+/]+={0,2}$/.test(bare))
      throw new Error('no base64')
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bare, 'base64'))
  } catch {
    throw new ProviderError('unknown', 'SAML: the message cannot be read')
  }
}

/**
 * Returns whether the octets of a query are signed by one of these certificates.
 * @param rawQuery The query as sent, because encoding the values again can result in other octets.
 * @see Bindings for SAML 2.0, section 3.4.4.1
 */
export function isSignedQuery(
  rawQuery: string,
  param: MessageParam,
  certificates: readonly string[],
  soundAlgorithms: boolean,
): boolean {
  const parts = new Map<string, string>()
  for (const part of rawQuery.split('&')) {
    // Decoded, because a parameter is the same if its name is encoded.
    const [name = ''] = new URLSearchParams(part).keys()
    if (parts.has(name)) return false
    parts.set(name, part)
  }
  const value = (name: string): string => new URLSearchParams(parts.get(name) ?? '').get(name) ?? ''
  const hash = findHash(RSA_SIGNATURES, value('SigAlg'))
  const signature = Buffer.from(value('Signature'), 'base64')
  if (hash === null || (hash === 'sha1' && soundAlgorithms) || signature.length === 0) return false
  const signed = [param, 'RelayState', 'SigAlg'].flatMap((name) => parts.get(name) ?? []).join('&')
  return certificates.some((certificate) => isSignedBy(certificate, hash, signed, signature))
}

function isSignedBy(certificate: string, hash: Hash, signed: string, signature: Buffer): boolean {
  const { publicKey } = new X509Certificate(certificate)
  return (
    publicKey.asymmetricKeyType === 'rsa' && createVerify(`RSA-${hash}`).update(signed).verify(publicKey, signature)
  )
}
