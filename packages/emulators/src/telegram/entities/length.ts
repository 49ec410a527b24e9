/** Unicode scalars in a text: how the platform counts a message's length (entity offsets are UTF-16 units). */
export function scalarLength(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const high = text.charCodeAt(at)
    if (high < 0xd800 || high > 0xdbff) continue
    const low = text.charCodeAt(at + 1)
    if (low < 0xdc00 || low > 0xdfff) continue
    length--
    at++
  }
  return length
}

/** Bytes of a text's first `end` UTF-16 units: parse errors name places by byte. */
export const byteOffset = (text: string, end: number): number => Buffer.byteLength(text.slice(0, end))
