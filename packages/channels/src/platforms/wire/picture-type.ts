/** How files of these types begin, in hexadecimal. */
const BEGINNINGS: readonly (readonly [mime: string, pattern: RegExp])[] = [
  ['image/jpeg', /^ffd8ff/],
  ['image/png', /^89504e470d0a1a0a/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
]

/** The type of a picture by its first bytes, where the platform does not say it; `undefined` for anything else. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('hex')
  return BEGINNINGS.find(([, pattern]) => pattern.test(start))?.[0]
}
