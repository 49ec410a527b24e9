import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { type ExchangeCall, ProviderError } from '../exchange.ts'
import { verifyIdToken } from '../wire/id-token.ts'
import { endpoint } from './begin.ts'
import { parseClientIds, readSettingText, type RecordValues } from './values.ts'
import { fetchProfile, type ProfileQuestion } from './profile.ts'
import type { OAuth2Record } from './record.ts'

/**
 * Returns the claims of an ID token from the token reply. Verifies its signature, although OpenID Connect Core 1.0
 * section 3.1.3.7 doesn't require that for a token received over TLS.
 * @throws {ProviderError} `unknown`
 */
export async function idTokenClaims(
  question: ProfileQuestion,
  idToken: string,
  nonce: string | undefined,
): Promise<JsonObject> {
  const { record, call, values } = question
  const claims = await verifyIdTokenClaims(record, call, values, idToken, nonce)
  const more = record.idToken?.fetches
  if (more === undefined || more.member in claims || readSettingText(call.app, more.setting).toLowerCase() !== 'true') {
    return claims
  }
  const told = await fetchProfile(question)
  return more.member in told ? { ...claims, [more.member]: told[more.member] } : claims
}

/** Returns the verified claims of an ID token, by the rules of the record. @throws {ProviderError} `unknown` */
export async function verifyIdTokenClaims(
  record: OAuth2Record,
  call: ExchangeCall,
  values: RecordValues,
  idToken: string,
  nonce: string | undefined,
): Promise<JsonObject> {
  const [jwks, issuer] = [endpoint(record, call, 'jwks'), endpoint(record, call, 'issuer')]
  if (record.idToken === undefined || jwks === undefined || issuer === undefined) {
    throw new ProviderError('unknown', `id tokens of ${record.name} cannot be verified`)
  }
  return verifyIdToken(call.io, idToken, {
    jwksUrl: values.address(jwks),
    issuers: [values.text(issuer)],
    audiences: parseClientIds(call.app),
    algorithms: record.idToken.algorithms,
    ...(nonce !== undefined && { nonce }),
  })
}
