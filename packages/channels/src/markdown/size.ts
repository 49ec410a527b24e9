/** What a platform counts: UTF-16 code units, Unicode code points, or UTF-8 bytes. */
export type Unit = 'utf16' | 'code_points' | 'bytes'

/** The size of a text in `unit`s. Expects well-formed text. */
export function sizeOf(text: string, unit: Unit): number {
  if (unit === 'utf16') return text.length
  if (unit === 'bytes') return Buffer.byteLength(text)
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if (isHighSurrogate(text, i)) {
      count--
      i++
    }
  }
  return count
}

/** Whether `index` stands between the two halves of a surrogate pair. Expects well-formed text. */
export function insidePair(text: string, index: number): boolean {
  return index > 0 && index < text.length && isHighSurrogate(text, index - 1)
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 0xd800 && code <= 0xdbff
}
