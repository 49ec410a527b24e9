import { MailRefused, type MailTransport } from './mail.ts'
import { composeMail, loadNodemailer } from './nodemailer.ts'

/** How the mail server is reached: settings of mail. */
export interface SmtpSettings {
  readonly emailHost: string
  readonly emailPort: number
  /** Empty: no authentication. */
  readonly emailHostUser: string
  readonly emailHostPassword: string
  /** Demands STARTTLS. */
  readonly emailUseTls: boolean
  /** TLS from the first byte. */
  readonly emailUseSsl: boolean
  /** Longest silence of the server, in seconds. */
  readonly emailTimeout: number | null
}

const MAX_CONNECTIONS = 5
const MAILS_PER_CONNECTION = 100
/** Long enough for the mails of one moment, and short of every server's patience. */
const IDLE_MS = 10_000
const LONGEST_SILENCE_SECONDS = 600
/** A mistake of the operator, not of the mail: the server wants another password (RFC 4954 section 6). */
const ABOUT_AUTHENTICATION: readonly number[] = [530, 534, 535, 538]

/**
 * Sends by SMTP and keeps connections for a while. With neither kind of TLS mail goes in the clear, as the settings say;
 * with one of them the certificate must be one that this machine trusts.
 * @see RFC 5321 section 4.2.1 (5yz: do not try again)
 */
export function smtpTransport(settings: SmtpSettings): MailTransport {
  let opened: ReturnType<typeof openPool> | null = null
  return {
    async send(message, signal) {
      opened ??= openPool(settings)
      const pool = await opened
      try {
        await pool.sendMail({ ...composeMail(message), signal })
      } catch (error) {
        throw isRefusal(error) ? new MailRefused(`SMTP ${error.responseCode}`, { cause: error }) : error
      }
    },
    async close() {
      const pool = await opened
      opened = null
      pool?.close()
    },
  }
}

async function openPool(settings: SmtpSettings) {
  const { createTransport } = await loadNodemailer()
  const { emailHostUser: user, emailHostPassword: pass, emailUseSsl, emailUseTls } = settings
  const silenceMs = (settings.emailTimeout ?? LONGEST_SILENCE_SECONDS) * 1_000
  return createTransport({
    pool: true,
    host: settings.emailHost,
    port: settings.emailPort,
    secure: emailUseSsl,
    requireTLS: emailUseTls,
    ignoreTLS: !emailUseTls,
    ...(user === '' ? {} : { auth: { user, pass } }),
    maxConnections: MAX_CONNECTIONS,
    maxMessages: MAILS_PER_CONNECTION,
    maxRequeues: 0, // the queue in the database decides when to try again
    idleTimeout: IDLE_MS,
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    dnsTimeout: silenceMs,
  })
}

interface Refusal {
  readonly responseCode: number
}

/** Whether the server answered the mail, not the connection, with 5yz. */
function isRefusal(error: unknown): error is Refusal {
  if (!(error instanceof Error) || !('responseCode' in error) || !('code' in error)) return false
  const { responseCode, code } = error
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false
  return (
    typeof responseCode === 'number' &&
    responseCode >= 500 &&
    responseCode < 600 &&
    !ABOUT_AUTHENTICATION.includes(responseCode)
  )
}
