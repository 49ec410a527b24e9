import { X509Certificate } from 'node:crypto'
import { ProviderError } from '../exchange.ts'

const wrapPem = (base64: string, label: string): string => {
  const lines = base64.match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

/** Settings have PEM, or its middle in one line. */
const isPem = (text: string): boolean => text.includes('-----BEGIN ')

const removeWhitespace = (text: string): string => text.replaceAll(/\s/g, '')

/** A certificate as PEM. @throws {ProviderError} `unknown` when it is none */
export function pemCertificate(text: string): string {
  try {
    return new X509Certificate(isPem(text) ? text : wrapPem(removeWhitespace(text), 'CERTIFICATE')).toString()
  } catch (cause) {
    throw new ProviderError('unknown', 'SAML: a certificate cannot be read', { cause })
  }
}

/** A private key as PEM. */
export const pemKey = (text: string): string => (isPem(text) ? text : wrapPem(removeWhitespace(text), 'PRIVATE KEY'))

/** The middle of a certificate, in one line: as XML has it. */
export const certificateBase64 = (text: string): string =>
  removeWhitespace(pemCertificate(text).replaceAll(/-----[^-]+-----/g, ''))
