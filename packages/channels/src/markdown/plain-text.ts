const CARRIAGE_RETURN = /\r\n?/g
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * Text as it may be sent: CRLF and CR become LF, control characters other than LF and TAB are dropped, lone surrogates
 * become U+FFFD. Everything else stays, also right-to-left overrides.
 */
export function cleanText(text: string): string {
  return text.replace(CARRIAGE_RETURN, '\n').replace(CONTROL, '').toWellFormed()
}

const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}]*$/u

/** Returns whether nothing would be seen of this text: only white space and characters without a shape. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text)
}

/** What a platform counts: UTF-16 code units, Unicode code points, or UTF-8 bytes. */
export type Unit = 'utf16' | 'code_points' | 'bytes'

/** The size of a text in `unit`s. Expects well-formed text. */
export function measureText(text: string, unit: Unit): number {
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

/** Returns whether `index` stands between the two halves of a surrogate pair. Expects well-formed text. */
export function insidePair(text: string, index: number): boolean {
  return index > 0 && index < text.length && isHighSurrogate(text, index - 1)
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 0xd800 && code <= 0xdbff
}
