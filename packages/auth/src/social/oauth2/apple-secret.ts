import { readTextOption } from '../apps/app-options.ts'
import { type ExchangeCall, ProviderError } from '../exchange.ts'
import { primaryClientId } from './values.ts'

const LIFE_SECONDS = 3600

/**
 * Returns the client secret for Apple: a JWT signed with the app's key. The app's `key` is the team ID, `secret` the
 * key ID, and the setting `certificate_key` the private key (PKCS #8, PEM).
 * @throws {ProviderError} `unknown` if a part is missing or unreadable
 * @see https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
export async function appleClientSecret(call: ExchangeCall): Promise<string> {
  const { app, io } = call
  const pem = readTextOption(app, 'certificate_key')
  if (app.key === '' || app.secret === '' || pem === '') {
    throw new ProviderError('unknown', 'Apple needs key (team id), secret (key id) and certificate_key (private key)')
  }
  const { importPKCS8, SignJWT } = await import('jose')
  const key = await importPKCS8(pem, 'ES256').catch(() => null)
  if (key === null) throw new ProviderError('unknown', 'certificate_key of Apple is no private key in PEM form')
  const now = Math.floor(io.clock.now() / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: app.secret })
    .setIssuer(app.key)
    .setSubject(primaryClientId(app))
    .setAudience('https://appleid.apple.com')
    .setIssuedAt(now)
    .setExpirationTime(now + LIFE_SECONDS)
    .sign(key)
}
