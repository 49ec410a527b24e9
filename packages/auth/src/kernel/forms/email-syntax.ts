/** Longest address that a form takes, in characters (RFC 3696, erratum 1690, allows 254 in a path; the reference 320). */
const MAX_LENGTH = 320
const LOCAL = /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u

/**
 * Whether this is a plain mailbox `local@domain`: no quoting, no address literal, no control character; letters of any
 * script on both sides (RFC 6531).
 */
export function isEmailSyntax(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > MAX_LENGTH) return false
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  if (!LOCAL.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false
  const labels = domain.split('.')
  return (
    domain.length <= 253 && labels.every((label) => LABEL.test(label)) && (labels.length > 1 || domain === 'localhost')
  )
}
