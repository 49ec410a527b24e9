import { sign, verify } from 'node:crypto'
import { isRecord } from '../kernel/settings/kind.ts'
import type { KeyRing } from './signing-keys.ts'

const encodeJson = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JWT signed with RS256 by the first key. @see RFC 7515 */
export function signJwt(ring: KeyRing, claims: Readonly<Record<string, unknown>>, typ: string): string {
  const [{ kid, privateKey }] = ring
  const text = `${encodeJson({ alg: 'RS256', typ, kid })}.${encodeJson(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

/** The claims of a JWT that one of the keys signed with RS256, whenever it was; `null` for anything else. */
export function verifyJwt(ring: KeyRing, jwt: string): Readonly<Record<string, unknown>> | null {
  const [header = '', body = '', signature = '', ...more] = jwt.split('.')
  const { alg, kid } = decodeJwtPart(header) ?? {}
  const key = ring.find((one) => one.kid === kid)
  if (more.length > 0 || alg !== 'RS256' || key === undefined) return null
  const bytes = Buffer.from(`${header}.${body}`)
  if (!verify('sha256', bytes, key.publicKey, Buffer.from(signature, 'base64url'))) return null
  return decodeJwtPart(body)
}

function decodeJwtPart(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isRecord(value) ? value : null
  } catch {
    return null // whatever it is, it is no token of ours
  }
}
