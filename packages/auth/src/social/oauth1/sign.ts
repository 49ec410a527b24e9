import { createHmac } from 'node:crypto'
import { ALPHANUMERIC, randomText } from '../../kernel/crypto/random-text.ts'
import type { ExchangeIo } from '../exchange.ts'

/** Who signs: the app, and the token if there is one already. */
export interface OAuth1Keys {
  readonly clientId: string
  readonly secret: string
  readonly token?: string
  readonly tokenSecret?: string
}

type Parameter = readonly [name: string, value: string]

/** RFC 5849, section 3.6: all but unreserved characters. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const byNameThenValue = ([a, b]: Parameter, [c, d]: Parameter): number =>
  a === c ? Number(b > d) - Number(b < d) : a < c ? -1 : 1

/** What is signed. @param parameters Those of header and form; the query's are read from the address. RFC 5849, section 3.4.1 */
export function signatureBase(method: string, address: string, parameters: readonly Parameter[]): string {
  const url = new URL(address)
  const encoded = [...url.searchParams, ...parameters].map(
    ([name, value]): Parameter => [percentEncoded(name), percentEncoded(value)],
  )
  const joined = encoded.toSorted(byNameThenValue).map(([name, value]) => `${name}=${value}`)
  return [method.toUpperCase(), `${url.origin}${url.pathname}`, joined.join('&')].map(percentEncoded).join('&')
}

/** HMAC-SHA1 in base64. RFC 5849, section 3.4.2 */
export const hmacSha1 = (base: string, secret: string, tokenSecret: string): string =>
  createHmac('sha1', `${percentEncoded(secret)}&${percentEncoded(tokenSecret)}`)
    .update(base)
    .digest('base64')

/** A request with its `Authorization` header. RFC 5849, section 3.5.1 */
export function signedRequest(
  io: Pick<ExchangeIo, 'clock' | 'random'>,
  method: 'GET' | 'POST',
  address: string,
  keys: OAuth1Keys,
): Request {
  const unsigned: readonly Parameter[] = [
    ['oauth_consumer_key', keys.clientId],
    ['oauth_nonce', randomText(io.random, ALPHANUMERIC, 32)],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(Math.floor(io.clock.now() / 1000))],
    ['oauth_version', '1.0'],
    ...(keys.token === undefined ? [] : [['oauth_token', keys.token] as const]),
  ]
  const signature = hmacSha1(signatureBase(method, address, unsigned), keys.secret, keys.tokenSecret ?? '')
  const signed: readonly Parameter[] = [...unsigned, ['oauth_signature', signature]]
  const header = signed.map(([name, value]) => `${percentEncoded(name)}="${percentEncoded(value)}"`).join(', ')
  return new Request(address, { method, headers: { authorization: `OAuth ${header}`, accept: '*/*' } })
}
