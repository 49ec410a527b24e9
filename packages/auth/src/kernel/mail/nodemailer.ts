import type { MailMessage } from './mail.ts'
import { type Mailbox, parseMailbox } from './message.ts'

type Nodemailer = typeof import('nodemailer')

/** The library, loaded when the first mail leaves: it costs start-up time and memory. */
export const loadNodemailer = async (): Promise<Nodemailer> => import('nodemailer')

/** A mail in the library's terms. */
export interface ComposedMail {
  readonly from: Mailbox
  readonly to: Mailbox
  /** Whom the mail server hears of, whatever the headers say. */
  readonly envelope: { readonly from: string; readonly to: string[] }
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly headers: Record<string, string>
  readonly messageId?: string
  readonly disableFileAccess: true
  readonly disableUrlAccess: true
}

/**
 * Addresses are handed over as objects, which the library does not take apart again. Nobody's absence notice answers it.
 * @see RFC 3834 section 5 (Auto-Submitted)
 */
export function composeMail(message: MailMessage): ComposedMail {
  const from = parseMailbox(message.from)
  const given = Object.entries(message.headers)
  const messageId = given.find(([name]) => name.toLowerCase() === 'message-id')?.[1]
  const headers = Object.fromEntries(given.filter(([name]) => name.toLowerCase() !== 'message-id'))
  return {
    from,
    to: { name: '', address: message.to },
    envelope: { from: from.address, to: [message.to] },
    subject: message.subject,
    text: message.text,
    ...(message.html === null ? {} : { html: message.html }),
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
    ...(messageId === undefined ? {} : { messageId }),
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
