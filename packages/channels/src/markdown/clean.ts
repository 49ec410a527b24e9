const CARRIAGE_RETURN = /\r\n?/g
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * Text as it may be sent: CRLF and CR become LF, control characters other than LF and TAB are dropped, lone surrogates
 * become U+FFFD. Everything else stays, also right-to-left overrides.
 */
export function clean(text: string): string {
  return text.replace(CARRIAGE_RETURN, '\n').replace(CONTROL, '').toWellFormed()
}

const INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}]*$/u

/** Whether nothing would be seen of this text: only white space and characters without a shape. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text)
}
