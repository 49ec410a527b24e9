import { createSign, createVerify, X509Certificate } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ProviderError } from '../exchange.ts'
import { type Hash, findHash, RSA_SIGNATURES } from './names.ts'
import type { SamlSettings } from './settings.ts'

/** What carries a message. */
export type MessageParam = 'SAMLRequest' | 'SAMLResponse'

/** Bytes of a message, unpacked. */
const LARGEST = 262_144

/**
 * The address that brings a message of ours to a provider.
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

/** A message of the query, unpacked. @throws {ProviderError} `unknown` */
export function inflateMessage(base64: string): string {
  try {
    const bytes = inflateRawSync(Buffer.from(base64, 'base64'), { maxOutputLength: LARGEST })
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ProviderError('unknown', 'SAML: the message cannot be unpacked')
  }
}

/** A message of a form. @throws {ProviderError} `unknown` */
export function decodePostMessage(base64: string): string {
  const bare = base64.replaceAll(/\s/g, '')
  try {
    if (bare === '' || bare.length > LARGEST * 2 || !/^[A-Za-z\d+/]+={0,2}$/.test(bare)) throw new Error('no base64')
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bare, 'base64'))
  } catch {
    throw new ProviderError('unknown', 'SAML: the message cannot be read')
  }
}

/**
 * Whether the octets of a query are signed by one of these certificates.
 * @param rawQuery As it was sent: encoding the values again may give other octets.
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
    // As others read it: with its name encoded it is the same parameter.
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
