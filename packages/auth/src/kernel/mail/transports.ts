import { constants } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AuthError } from '../../errors.ts'
import { systemClock, systemRandom, type Clock, type RandomBytes } from '../io.ts'
import { MailRefused, parseMailbox, type MailMessage, type MailTransport, type Mailbox } from './mail.ts'

/** The settings of mail. */
export interface MailTransportSettings extends SmtpSettings {
  readonly emailBackend: 'smtp' | 'console' | 'file'
  /** Folder of `file`. */
  readonly emailFilePath: string | null
}

/** Where mail goes that no server takes. */
interface MailTransportIo {
  /** Takes the text of a whole mail; `console`. */
  readonly write: (text: string) => void
  readonly clock?: Clock
  readonly random?: RandomBytes
}

/** How mail leaves by the settings. @throws {AuthError} `settings_invalid` when `file` has no folder */
export function createMailTransport(settings: MailTransportSettings, io: MailTransportIo): MailTransport {
  const { write, clock = systemClock, random = systemRandom } = io
  if (settings.emailBackend === 'smtp') return smtpTransport(settings)
  if (settings.emailBackend === 'console') return consoleTransport(write)
  if (settings.emailFilePath === null) {
    throw new AuthError('settings_invalid', { message: 'EMAIL_FILE_PATH must name the folder of the mails.' })
  }
  return fileTransport(settings.emailFilePath, { clock, random })
}

const RULE = '-'.repeat(80)
/** Nothing may move the cursor of a terminal. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Shows every mail to whoever watches the process: for development, since mail holds links that sign people in. */
function consoleTransport(write: (text: string) => void): MailTransport {
  return {
    async send({ from, to, subject, text }) {
      const lines = [RULE, `From: ${from}`, `To: ${to}`, `Subject: ${subject}`, '', text.trimEnd(), RULE, '']
      write(lines.join('\n').replace(/\r\n/g, '\n').replace(CONTROLS, ''))
    },
  }
}

/**
 * Writes each mail to a file of its own, `<time>-<random>.eml` (RFC 5322), whole or not at all. Mail holds links that
 * sign people in: the folder is made for its owner alone, and so is each file.
 * @param folder Made when it is not there.
 */
function fileTransport(folder: string, io: { readonly clock: Clock; readonly random: RandomBytes }): MailTransport {
  return {
    async send(message) {
      const { createTransport } = await loadNodemailer()
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message: bytes } = await composer.sendMail(composeMail(message))
      const time = new Date(io.clock.now()).toISOString().replace(/[-:.]/g, '')
      const name = `${time}-${io.random(6).toString('hex')}`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeAtomically(join(folder, `.${name}`), join(folder, `${name}.eml`), Buffer.from(bytes as Uint8Array)) // `buffer: true`
    },
  }
}

async function writeAtomically(draft: string, path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
    await file.close()
    await rename(draft, path)
  } catch (error) {
    await file.close()
    await rm(draft, { force: true })
    throw error
  }
}

/** How the mail server is reached: settings of mail. */
interface SmtpSettings {
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
 * Sends by SMTP with pooled connections. Without TLS, mail is sent in the clear, as configured; with it, the server's
 * certificate must be trusted by this machine.
 * @see RFC 5321 section 4.2.1 (5yz: do not retry)
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
        throw isPermanentRejection(error) ? new MailRefused(`SMTP ${error.responseCode}`, { cause: error }) : error
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
function isPermanentRejection(error: unknown): error is Refusal {
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

type Nodemailer = typeof import('nodemailer')

/** The library, loaded when the first mail leaves: it costs start-up time and memory. */
export const loadNodemailer = async (): Promise<Nodemailer> => import('nodemailer')

/** A mail in the library's terms. */
interface ComposedMail {
  readonly from: Mailbox
  readonly to: Mailbox
  /** SMTP envelope, independent of the headers. */
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
 * Composes the mail. Passes addresses as objects, which the library doesn't parse again, and suppresses auto-replies.
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
