/** Maximum length of an escaped name in the URL. A QR code has room for two of them. */
const MAX_NAME_LENGTH = 1_000

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

/** Escapes all but the unreserved characters of RFC 3986 section 2.3, up to the maximum length. */
function percentEncode(text: string): string {
  let result = ''
  for (const character of text.toWellFormed()) {
    const next = encodeURIComponent(character).replaceAll(/[!'()*]/g, percentEncodeCharacter)
    if (result.length + next.length > MAX_NAME_LENGTH) return result
    result += next
  }
  return result
}

const percentEncodeCharacter = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** Width of the quiet zone in modules (ISO/IEC 18004 section 6.3.8). */
const QUIET_ZONE = 4
/** Number of bytes that fit with medium error correction. */
const MEDIUM_CAPACITY = 2_300

/**
 * Returns a QR code as scalable SVG, dark on white in any theme. Loads the library on the first call.
 * @param text At most 2,900 bytes.
 */
export async function qrCodeSvg(text: string): Promise<string> {
  const { encodeQR } = await import('qr')
  const ecc = Buffer.byteLength(text) > MEDIUM_CAPACITY ? 'low' : 'medium'
  const rows = encodeQR(text, 'raw', { ecc, border: QUIET_ZONE })
  const size = rows.length
  const path = rows
    .flatMap((row, y) => findDarkRuns(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
    .join('')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">`,
    `<rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${path}"/></svg>`,
  ].join('')
}

/** Returns the runs of adjacent dark modules in a row. */
function findDarkRuns(row: readonly boolean[]): readonly (readonly [start: number, length: number])[] {
  const found: [number, number][] = []
  row.forEach((isDark, x) => {
    const last = found.at(-1)
    if (!isDark) return
    if (last !== undefined && last[0] + last[1] === x) last[1] += 1
    else found.push([x, 1])
  })
  return found
}
