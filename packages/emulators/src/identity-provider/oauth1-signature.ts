import { createHmac } from 'node:crypto'
import { percentDecode } from './reply.ts'

/** Percent-encoding of RFC 5849, section 3.6. */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Parameters of an `Authorization: OAuth` header, `realm` left out; `null` when it is none. RFC 5849, section 3.5.1 */
export function readAuthorization(header: string | null): ReadonlyMap<string, string> | null {
  const rest = /^OAuth\s+(.*)$/is.exec(header ?? '')?.[1]
  if (rest === undefined) return null
  const found = [...rest.matchAll(/([\w%.~-]+)\s*=\s*"([^"]*)"/g)]
  const pairs = found.map(([, name = '', value = '']): [string, string] => [percentDecode(name), percentDecode(value)])
  return new Map(pairs.filter(([name]) => name !== 'realm'))
}

/** The text that is signed. RFC 5849, section 3.4.1 */
export function signatureBase(
  method: string,
  address: string,
  parameters: readonly (readonly [string, string])[],
): string {
  const url = new URL(address)
  const encoded = [...url.searchParams, ...parameters]
    .filter(([name]) => name !== 'oauth_signature')
    .map(([name, value]): [string, string] => [percentEncode(name), percentEncode(value)])
    .toSorted(([a, b], [c, d]) => (a === c ? (b < d ? -1 : 1) : a < c ? -1 : 1))
  const normal = encoded.map(([name, value]) => `${name}=${value}`).join('&')
  return [method.toUpperCase(), `${url.origin}${url.pathname}`, normal].map(percentEncode).join('&')
}

/** HMAC-SHA1, base64. RFC 5849, section 3.4.2 */
export const signatureOf = (base: string, clientSecret: string, tokenSecret: string): string =>
  createHmac('sha1', `${percentEncode(clientSecret)}&${percentEncode(tokenSecret)}`)
    .update(base)
    .digest('base64')
