import { createHash, createPublicKey, sign } from 'node:crypto'
import { type Call, type Grant, type Members, NO_ID, type OAuth2Shape, toSubject } from './shape.ts'
import { type Fault, secretText, type State } from './state.ts'
import { limitToScopes, withoutId } from './visible.ts'

const KEY_ID = 'emulated-key-1'
const OTHER_KEY_ID = 'key-of-nobody'
const LIFE_SECONDS = 300

/** Content of an ID token, before faults. */
interface IdTokenInput {
  readonly issuer: string
  readonly audience: string
  readonly nonce: string | null
  readonly accessToken: string | null
  /** Unique id. */
  readonly id: string
  readonly nowMs: number
  /** `sub` and the provider's claims; override the rest. */
  readonly claims: Members
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns `at_hash` of an access token, for RS256. OpenID Connect Core 3.1.3.6 */
function halfHash(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url')
}

function toClaims(input: IdTokenInput, fault: Fault | null): Members {
  const now = Math.floor(input.nowMs / 1000) - (fault === 'expired' ? 86_400 : 0)
  const nonce = fault === 'wrong_nonce' ? 'another-nonce' : input.nonce
  return {
    iss: fault === 'wrong_issuer' ? 'https://another-issuer.example' : input.issuer,
    aud: fault === 'wrong_audience' ? 'another-client' : input.audience,
    iat: now,
    exp: now + LIFE_SECONDS,
    jti: input.id,
    ...(nonce === null ? {} : { nonce }),
    ...(input.accessToken === null ? {} : { at_hash: halfHash(input.accessToken) }),
    ...input.claims,
  }
}

/** Returns an ID token signed with RS256, or with a fault. */
function createIdToken(input: IdTokenInput, fault: Fault | null = null): string {
  const header = {
    typ: 'JWT',
    alg: fault === 'unsigned' ? 'none' : 'RS256',
    kid: fault === 'unknown_key' ? OTHER_KEY_ID : KEY_ID,
  }
  const content = `${encode(header)}.${encode(toClaims(input, fault))}`
  if (fault === 'unsigned') return `${content}.`
  const signed = fault === 'bad_signature' ? `${content} ` : content
  return `${content}.${sign('sha256', Buffer.from(signed), IDENTITY_PROVIDER_KEY).toString('base64url')}`
}

/** Returns the key set that verifies ID tokens, or one with another key id. RFC 7517 */
export function keySet(isOther: boolean): Members {
  const { kty, n, e } = createPublicKey(IDENTITY_PROVIDER_CERTIFICATE).export({ format: 'jwk' })
  return { keys: [{ kty, n, e, use: 'sig', alg: 'RS256', kid: isOther ? 'key-of-tomorrow' : KEY_ID }] }
}

/** Returns the keys as certificates by key id, as Google publishes them. */
export const keyCertificates = (isOther: boolean): Members => ({
  [isOther ? 'key-of-tomorrow' : KEY_ID]: IDENTITY_PROVIDER_CERTIFICATE,
})

/** Self-signed certificate of `IDENTITY_PROVIDER_KEY`, for this emulator only, until about 2120. */
export const IDENTITY_PROVIDER_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIDGTCCAgGgAwIBAgIUfd2z3mPHYig2TdpSHlZaCckYSC8wDQYJKoZIhvcNAQEL
BQAwGzEZMBcGA1UEAwwQaWRlbnRpdHkuZXhhbXBsZTAgFw0yNjExMjEyMjU0MDVa
GA8yMTIwMTAxOTIyNTQwNVowGzEZMBcGA1UEAwwQaWRlbnRpdHkuZXhhbXBsZTCC
ASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAMJI7gBpeOyOd1EdB135xkqz
+MqtLNnqNg87oYNX7Zjev4DWvP3uQUeOJsQlAMWVqGkF26yHO3BtzoRcfQNopqu0
m1dlrIy0qxRSMP4ERcWbiW+OUJcG/qRT+bH9ITLMJc2XCT3yBtnYlLYLuN4fPRw3
nLy6taJNkFOy/CuZ27EX8mUQggmS2IdS8w4Gnlso/eRFxTu7nIraInt+gmNcPNVQ
8Id5MP7/RYBqLCv3UEJHlPT4WUy+pavOnUSS7M/huff6wC68EMyc93AyW7kLllm0
UvoVMWwyCyHAnXjhCV2VlhTP179oxoUHw3dZXO2pzDJrEP2vNw/o9cVAfzqNVykC
AwEAAaNTMFEwHQYDVR0OBBYEFLr1KxWpLUerK+jVUVvpcUeimxbKMB8GA1UdIwQY
MBaAFLr1KxWpLUerK+jVUVvpcUeimxbKMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZI
hvcNAQELBQADggEBAAxcfIouaM+HAVl4BEReLpuhJdjd5IO7oOTaw7gSXVHBpHDj
6178GfgYPXNPR5t4IrTi/cHtCy2DT8vQJYN5nHKcLe8ZP3qaA2GipK1sK67LWhDu
BmpUJ0XiIOKuagx6h1UiIyxnybKReMoD6nEwiD3RyigLNwwwqRKhLAV3/CTJfTaF
1IWKjlEJXCtlAZDcf76KX7aaSWz/Ptrvs2IKXg4J5LdbYqDDedhGGY9Qx1nyTzPs
0yzVBs232USqgydQHh3JCQDJ1XMR1yUQxi8KfZpOTdvY/JyBnV836fPGfCLn4Trf
giGVExu6t0xonn8GGOLoZ+CdaezuofK9SZIWhpc=
-----END CERTIFICATE-----
`

/** Signs ID tokens and assertions of fictional people; protects nothing. RSA, 2048 bits. */
export const IDENTITY_PROVIDER_KEY = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDCSO4AaXjsjndR
HQdd+cZKs/jKrSzZ6jYPO6GDV+2Y3r+A1rz97kFHjibEJQDFlahpBdushztwbc6E
XH0DaKartJtXZayMtKsUUjD+BEXFm4lvjlCXBv6kU/mx/SEyzCXNlwk98gbZ2JS2
C7jeHz0cN5y8urWiTZBTsvwrmduxF/JlEIIJktiHUvMOBp5bKP3kRcU7u5yK2iJ7
foJjXDzVUPCHeTD+/0WAaiwr91BCR5T0+FlMvqWrzp1EkuzP4bn3+sAuvBDMnPdw
Mlu5C5ZZtFL6FTFsMgshwJ144QldlZYUz9e/aMaFB8N3WVztqcwyaxD9rzcP6PXF
QH86jVcpAgMBAAECggEABDBIKKGdfgocl+wr4GfgvB5mWXuYzoeTtp8xk6WVutiT
Nomf+vXZRJvpCYxbrdF/bJONVspL6tgEiQrTwNBPhummpLXNiHNiXIE2IFqCuj3T
cssrFnUhOx/lWk6WWeRCrLdEzNKsOPjyodHIYJ+PSiMHzHOBCXipySgqyBzcepRQ
2VWG86bDRmW5UTTjJ/9YDv1ROXd7uM4+RgkpRibhZJfVE1j9sM55LFqrMAilb4d/
FPDsqeXTd8UC16IvF4fVMxL7gPxjCmODbXJKO1nxc+n0bZcjySNo5ZpmJTizhUQJ
nqBrLA7Hc0J5UUNQH7XpI2uASrg7I8ZS6rpC4EZHRQKBgQD0OeH/gGxGZ3pipb6M
yXLOzjwWHEDlY9xZu9mI72YLnFYRa5DZiioF+JUepddLHC/+ltM5K2GDNwcJrIrr
UA3ibiMHhElUyoL1tZaOh478aYvQKk1OcWdAxuMcKsp5WVwz6rBTImgnrcF03Ncy
IVVT4Xmf62uVEiAOum1Hu7T/7QKBgQDLprJ3gu+3EoOQdxoG7ilY7MACLN1SWIGw
HgIy2N5+gMOcDYldAQ5TRAl/mplUT2ZOtIJL1+Ubw+LPQNDemOuUsqbkkFEepNtV
s1oaxoZ/Dtcz0lmz+NbVOUb4bYGdS1gR4nzN+4t3rsdAeTUEjHSwHy60U59p4hml
dXsYt7l0rQKBgQC/wabp1uqsyNi2Fc8seYt0R0e0UJC/y42awzzFILrtyN1nJh8A
P1RJhemHu8z0A3jHm6LTE3Wn8g/Lj7cvlZahP7qvTzXIpoz24ZIJ7PPeyfxmAKDc
Q3w/xylQ12RMrVYQyWeSjsRayznHSRKKINP/XV0CrHS3Ahk7lzLwjLhL7QKBgFR5
rFP4w1jsXBij3u77Abm6UxdT5uaOghU9DWpsHTbaUMm9r7odgwS1Fz+QMIQRf32s
UNQHFSlEQyP3XezIAAipZqMu3gdZGQZepESxDv9Ld6cuXTlTQkImRTMtsXM+2qRo
j56d9kdJ/6rV3FErtgeMl8IDYf/44uyIY+xn4YztAoGAd8K7aH8NfvAVBYiltqAu
tEJsaW8YbPtLnIqeTtk0vgNbZ3swajsIzd4AmbN2GoPWh+Wn71KhAisRjpR5HYEw
IdO8+aggS714EudyRiMGLXyC8KbR9pZPRYsZ6q7iN2UpmiKwL1RPbemlnMHxa1Kz
Ks2Mx2UHytGDq6As+GFzdMg=
-----END PRIVATE KEY-----
`

/** Returns the issuer. Providers with discovery use their served address. */
export const findIssuer = (shape: OAuth2Shape, at: (real: string) => string): string =>
  shape.discovery === undefined ? (shape.issuer ?? '') : at(shape.issuer ?? '')

/** Returns the standard claims about a person. OpenID Connect Core 5.1 */
export function standardClaims(person: Grant['person']): Members {
  return {
    sub: person.id,
    ...(person.email === null ? {} : { email: person.email, email_verified: person.emailVerified }),
    name: `${person.firstName} ${person.lastName}`,
    given_name: person.firstName,
    family_name: person.lastName,
    preferred_username: person.username,
  }
}

/** Returns the ID token of a grant, with active faults. */
export function signIdTokenFor(
  state: State,
  shape: OAuth2Shape,
  call: Pick<Call, 'at'>,
  grant: Grant,
  accessToken: string | null,
  fault: Fault | null,
): string {
  const shown = limitToScopes(shape, grant)
  const person = fault === 'no_uid' ? { ...shown, id: NO_ID } : shown
  const claims = shape.idClaims?.(toSubject(person)) ?? standardClaims(person)
  return createIdToken(
    {
      issuer: findIssuer(shape, (real) => call.at(real)),
      audience: grant.clientId,
      nonce: grant.nonce,
      accessToken,
      id: secretText(state),
      nowMs: state.io.now(),
      claims: withoutId(claims),
    },
    fault,
  )
}
