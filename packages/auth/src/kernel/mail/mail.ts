import type { AuthDb } from '../users/user.ts'

/** A mail to send, with the subject and addresses on one line each. */
export interface MailMessage {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string | null
  readonly headers: Readonly<Record<string, string>>
}

/** Sends mail by SMTP, to the console, to a folder, or in the host's own way. */
export interface MailTransport {
  /** Resolves once the mail is accepted. @throws {MailRefused} if retrying can't help */
  send(message: MailMessage, signal: AbortSignal): Promise<void>
  close?(): Promise<void>
  /** The mail sent so far, if it's kept in memory. */
  readonly outbox?: readonly MailMessage[]
}

/** The mail server will never accept this mail. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused'
}

/**
 * A durable mail queue. Mail is stored sealed in the transaction that causes it, and sent after the commit by any
 * process, with retries and backoff for three days. Requests never wait for it.
 */
export interface MailQueue {
  /** With EMAIL_BACKEND locmem, the latest 1,000 mails, for tests. Otherwise empty. */
  readonly outbox: readonly MailMessage[]
  enqueue(db: AuthDb, message: MailMessage): Promise<void>
  /** Checks for due mail. Called after a commit. Doesn't wait until it's sent. */
  wake(): void
  start(): void
  /** Waits up to `withinMs` for the current attempts, and then cancels them. */
  stop(withinMs: number): Promise<void>
}

/** One sender or recipient. */
export interface Mailbox {
  /** Empty if there's none. */
  readonly name: string
  readonly address: string
}

const SUBJECT_MAX = 800
const NAME_MAX = 200
const HEADER_VALUE_MAX = 2_000
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,60}$/
/** Headers that are set from the message itself or would change its recipients. */
const OWN_HEADERS = /^(from|to|cc|bcc|sender|subject|date|received|return-path|mime-version|content-.*|resent-.*)$/i

/** Allows no quoting, comments, or lists, so that no mail server can read it as more than one address. */
const ADDRESS = /^[^\s\p{C}<>()[\],;:\\"@]{1,64}@[^\s\p{C}<>()[\],;:\\"@]{1,253}$/u
const NAMED = /^([^<>]*)<([^<>]+)>$/
/** Whitespace, C0 and C1 control characters, and Unicode line separators. */
const BREAKS = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu
const CONTROLS_IN_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g
/**
 * Characters that need no quotes in a name: RFC 5322 `atext` and spaces, and non-ASCII characters, which are encoded.
 */
const PLAIN_NAME = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ \u0080-\u{10ffff}-]*$/u

/** Joins text to one line without control characters, truncated to `max` characters. */
const toSingleLine = (text: string, max: number): string =>
  Array.from(text.toWellFormed().replace(BREAKS, ' ').trim()).slice(0, max).join('')

/**
 * Returns the mail in a form that's safe to send: subject and headers on one line each, one sender, one recipient, no
 * conflicting headers. Idempotent. Nothing else checks this.
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

/** Parses `Name <address>`, `"Name" <address>`, or a bare address. @throws {MailRefused} if the address is invalid */
export function parseMailbox(text: string): Mailbox {
  const line = toSingleLine(text, NAME_MAX + 330)
  const [, name = '', named] = NAMED.exec(line) ?? []
  const address = (named ?? line).trim()
  if (!ADDRESS.test(address)) throw new MailRefused('the sender is not an address')
  const unquoted = name.trim().replace(/^"(.*)"$/, (_all, quoted: string) => quoted.replace(/\\(.)/g, '$1'))
  return { name: unquoted, address }
}

/** Formats `Name <address>`, quoting the name if needed. */
function mailboxText({ name, address }: Mailbox): string {
  if (name === '') return address
  const quoted = PLAIN_NAME.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
  return `${quoted} <${address}>`
}

/** Checks the recipient. It's never repaired: mail to the wrong person would be worse than none. */
function recipient(address: string): string {
  if (!ADDRESS.test(address) || !address.isWellFormed()) throw new MailRefused('the recipient is not an address')
  return address
}

function headerName(name: string): string {
  if (!HEADER_NAME.test(name) || OWN_HEADERS.test(name)) throw new MailRefused("a header isn't allowed")
  return name
}

const body = (text: string): string => text.toWellFormed().replace(CONTROLS_IN_TEXT, '')
