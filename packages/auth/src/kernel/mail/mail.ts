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
