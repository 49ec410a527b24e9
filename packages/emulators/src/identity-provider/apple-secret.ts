import { verify } from 'node:crypto'
import { parseJson, isRecord } from '../kit/body.ts'
import type { EmulatedClient } from './state.ts'

const read = (part: string): Readonly<Record<string, unknown>> => {
  const value = parseJson(Buffer.from(part, 'base64url').toString())
  return isRecord(value) ? value : {}
}

/**
 * Whether a client secret is what Apple demands: a JWT of the team, ES256, for the client, at most six months long.
 * @see Apple Developer, "Creating a client secret"
 */
export function checkAppleSecret(client: EmulatedClient, secret: string, nowMs: number): boolean {
  const [header = '', payload = '', signature = ''] = secret.split('.')
  const { alg, kid } = read(header)
  const { iss, sub, aud, exp, iat } = read(payload)
  if (alg !== 'ES256' || kid !== client.secret || iss !== client.key || sub !== client.clientId) return false
  if (aud !== 'https://appleid.apple.com' || typeof exp !== 'number' || typeof iat !== 'number') return false
  const now = nowMs / 1000
  if (exp <= now || exp > now + 15_777_000 || iat > now + 60 || client.publicKey === undefined) return false
  const key = { key: client.publicKey, dsaEncoding: 'ieee-p1363' } as const
  return verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))
}
