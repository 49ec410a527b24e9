/** Longest name in the URL, escaped: a QR code has room for two of them. */
const LONGEST = 1_000

/**
 * Returns the otpauth URL for an authenticator app. Omits digits and period if they are the defaults; the issuer
 * appears only as a parameter.
 * @param secret Base32. @param period Seconds.
 * @see Google Authenticator, "Key Uri Format"
 */
export function otpauthUrl(key: {
  readonly label: string
  readonly issuer: string
  readonly secret: string
  readonly digits: number
  readonly period: number
}): string {
  const { label, issuer, secret, digits, period } = key
  const parameters = [
    `secret=${secret}`,
    `issuer=${percentEncode(issuer)}`,
    ...(digits === 6 ? [] : [`digits=${digits}`]),
    ...(period === 30 ? [] : [`period=${period}`]),
  ]
  return `otpauth://totp/${percentEncode(label)}?${parameters.join('&')}`
}

/** All but the unreserved characters of RFC 3986 section 2.3. */
function percentEncode(text: string): string {
  let result = ''
  for (const character of text.toWellFormed()) {
    const next = encodeURIComponent(character).replaceAll(/[!'()*]/g, percentEncodeCharacter)
    if (result.length + next.length > LONGEST) return result
    result += next
  }
  return result
}

const percentEncodeCharacter = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
