import PostalMime from 'postal-mime'
import type { SMTPServerEnvelope } from 'smtp-server'

/** A mail as it came, and what a mail program shows of it. */
export interface ReceivedMail {
  /** Of the envelope (MAIL FROM); empty for the null sender. */
  readonly envelopeFrom: string
  /** Of the envelope (RCPT TO): whom it would have reached. */
  readonly envelopeTo: readonly string[]
  /** The header `From`, as a person reads it: `Name <address>` or an address. */
  readonly from: string
  /** The addresses of the header `To`. */
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** `null`: no such part. */
  readonly html: string | null
  /** In their order; names in lower case, values unfolded, not decoded. */
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly raw: string
  /** Whether it came over TLS. */
  readonly secure: boolean
  /** Who had signed in; `null`: nobody. */
  readonly user: string | null
}

/** What is known of a mail beside its text. */
export interface MailTransfer {
  readonly envelope: SMTPServerEnvelope
  readonly secure: boolean
  readonly user: string | null
}

/** Reads a mail that came. @see RFC 5322, RFC 2045 to 2047 */
export async function readMail(raw: Buffer, { envelope, secure, user }: MailTransfer): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(raw)
  const sender = mail.from?.address ?? ''
  return {
    envelopeFrom: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    envelopeTo: envelope.rcptTo.map(({ address }) => address),
    from: mail.from?.name ? `${mail.from.name} <${sender}>` : sender,
    to: (mail.to ?? []).map(({ address }) => address ?? ''),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? null,
    headers: mail.headers.map(({ key, value }) => ({ name: key, value })),
    raw: raw.toString('latin1'),
    secure,
    user,
  }
}
