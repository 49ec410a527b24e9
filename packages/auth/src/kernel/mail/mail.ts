import type { AuthDb } from '../users/user.ts'

/** A mail as it is sent: subject and addresses on one line each. */
export interface MailMessage {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string | null
  readonly headers: Readonly<Record<string, string>>
}

/** How mail leaves: SMTP, the console, a folder, or a host's own. */
export interface MailTransport {
  /** Resolves when the mail has been taken over. @throws {MailRefused} when another try cannot help */
  send(message: MailMessage, signal: AbortSignal): Promise<void>
  close?(): Promise<void>
}

/** The mail server will never take this mail. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused'
}

/**
 * A durable mail queue. Mail is stored sealed in the transaction that causes it, sent after the commit by any process,
 * retried with back-off over three days, and never awaited by a request.
 */
export interface MailQueue {
  enqueue(db: AuthDb, message: MailMessage): Promise<void>
  /** Looks for mail that is due now: called after a commit. Does not wait for its sending. */
  wake(): void
  start(): void
  /** Finishes what is being sent, at most `withinMs`. */
  stop(withinMs: number): Promise<void>
}

/** One sender or recipient. */
export interface Mailbox {
  /** Empty: none. */
  readonly name: string
  readonly address: string
}

const SUBJECT_MAX = 800
const NAME_MAX = 200
const HEADER_VALUE_MAX = 2_000
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,60}$/
/** Headers that the mail itself sets, or that would change its recipients. */
const OWN_HEADERS = /^(from|to|cc|bcc|sender|subject|date|received|return-path|mime-version|content-.*|resent-.*)$/i

/** No quoting, comments or lists: nothing that a mail server could read as more than one address. */
const ADDRESS = /^[^\s\p{C}<>()[\],;:\\"@]{1,64}@[^\s\p{C}<>()[\],;:\\"@]{1,253}$/u
const NAMED = /^([^<>]*)<([^<>]+)>$/
/** C0 and C1 controls and the line separators of Unicode. */
const BREAKS = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu
const CONTROLS_IN_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g
/** Characters that need no quotes in a name (RFC 5322 `atext` and blanks), and those of other scripts, which are encoded. */
const PLAIN_NAME = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ \u0080-\u{10ffff}-]*$/u

/** Joined to one line, without control characters, at most `max` characters. */
const toSingleLine = (text: string, max: number): string =>
  Array.from(text.toWellFormed().replace(BREAKS, ' ').trim()).slice(0, max).join('')

/**
 * Returns the mail in a form that is safe to send: subject and headers on one line each, one sender, one recipient, no
 * conflicting headers. The only place where this is decided; idempotent.
 * @throws {MailRefused} if an address is invalid or a header isn't allowed
 */
export function mailMessage(draft: MailMessage): MailMessage {
  return {
    from: mailboxText(parseMailbox(draft.from)),
    to: recipient(draft.to),
    subject: toSingleLine(draft.subject, SUBJECT_MAX),
    text: body(draft.text),
    html: draft.html === null ? null : body(draft.html),
    headers: Object.fromEntries(
      Object.entries(draft.headers).map(([name, value]) => [headerName(name), toSingleLine(value, HEADER_VALUE_MAX)]),
    ),
  }
}

/** Reads `Name <address>`, `"Name" <address>` or an address. @throws {MailRefused} */
export function parseMailbox(text: string): Mailbox {
  const line = toSingleLine(text, NAME_MAX + 330)
  const [, name = '', named] = NAMED.exec(line) ?? []
  const address = (named ?? line).trim()
  if (!ADDRESS.test(address)) throw new MailRefused('the sender is not an address')
  const unquoted = name.trim().replace(/^"(.*)"$/, (_all, quoted: string) => quoted.replace(/\\(.)/g, '$1'))
  return { name: unquoted, address }
}

/** `Name <address>`, the name in quotes where it needs them. */
function mailboxText({ name, address }: Mailbox): string {
  if (name === '') return address
  const quoted = PLAIN_NAME.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
  return `${quoted} <${address}>`
}

/** Unlike other texts it is not mended: a mail to somebody else would be worse than none. */
function recipient(address: string): string {
  if (!ADDRESS.test(address) || !address.isWellFormed()) throw new MailRefused('the recipient is not an address')
  return address
}

function headerName(name: string): string {
  if (!HEADER_NAME.test(name) || OWN_HEADERS.test(name)) throw new MailRefused('a header cannot be given')
  return name
}

const body = (text: string): string => text.toWellFormed().replace(CONTROLS_IN_TEXT, '')
