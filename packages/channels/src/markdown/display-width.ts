const SIMPLE = /^[\u0020-\u007e]*$/
const SHAPELESS = /\p{M}|\p{Default_Ignorable_Code_Point}|\p{Cc}/u
// East Asian Wide and Fullwidth by block, and emoji shown as pictures (UAX #11)
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** Columns that a monospaced font needs for this text, in which CJK characters and emoji take two. */
export function displayWidth(text: string): number {
  if (SIMPLE.test(text)) return text.length
  let width = 0
  let joined = false
  for (const char of text) {
    if (!joined && !SHAPELESS.test(char)) width += WIDE.test(char) ? 2 : 1
    joined = char === '\u200d'
  }
  return width
}
