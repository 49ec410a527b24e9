import { constants } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AuthError } from '../../errors.ts'
import { systemClock, systemRandom, type Clock, type RandomBytes } from '../io.ts'
import type { MailBackend } from '../settings/groups/mail.ts'
import { MailRefused, parseMailbox, type MailMessage, type MailTransport, type Mailbox } from './mail.ts'

/** The mail settings. */
export interface MailTransportSettings extends SmtpSettings {
  readonly emailBackend: MailBackend | MailTransport
  /** The folder for `file`. */
  readonly emailFilePath: string | null
}

/** The dependencies of `console` and `file`. */
interface MailTransportIo {
  /** Writes a mail's text, for `console`. */
  readonly write: (text: string) => void
  readonly clock?: Clock
  readonly random?: RandomBytes
}

/** Creates the transport in the settings. @throws {AuthError} `settings_invalid` if `file` has no folder */
export function createMailTransport(settings: MailTransportSettings, io: MailTransportIo): MailTransport {
  const { write, clock = systemClock, random = systemRandom } = io
  if (typeof settings.emailBackend === 'object') return settings.emailBackend
  if (settings.emailBackend === 'smtp') return smtpTransport(settings)
  if (settings.emailBackend === 'console') return consoleTransport(write)
  if (settings.emailBackend === 'locmem') return memoryTransport()
  if (settings.emailBackend === 'dummy') return { send: async () => undefined }
  if (settings.emailFilePath === null) {
    throw new AuthError('settings_invalid', { message: 'EMAIL_FILE_PATH must be set to the folder for mail.' })
  }
  return fileTransport(settings.emailFilePath, { clock, random })
}

/** Most mails kept in memory. */
const OUTBOX_MAX = 1_000

/** Keeps mail in memory, newest last. */
function memoryTransport(): MailTransport {
  const outbox: MailMessage[] = []
  return {
    outbox,
    async send(message) {
      outbox.push(message)
      if (outbox.length > OUTBOX_MAX) outbox.shift()
    },
  }
}

const RULE = '-'.repeat(80)
/** Control characters, which could move a terminal's cursor. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Writes every mail to the console. Only for development, since mail contains login links. */
function consoleTransport(write: (text: string) => void): MailTransport {
  return {
    async send({ from, to, subject, text }) {
      const lines = [RULE, `From: ${from}`, `To: ${to}`, `Subject: ${subject}`, '', text.trimEnd(), RULE, '']
      write(lines.join('\n').replace(/\r\n/g, '\n').replace(CONTROLS, ''))
    },
  }
}

/**
 * Writes each mail atomically to its own file, `<time>-<random>.eml` (RFC 5322). Mail contains login links, so only the
 * owner can read the files, and the folder if it's created here.
 * @param folder Created if it doesn't exist.
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

/** The mail server settings. */
interface SmtpSettings {
  readonly emailHost: string
  readonly emailPort: number
  /** Empty for no authentication. */
  readonly emailHostUser: string
  readonly emailHostPassword: string
  /** Requires STARTTLS. */
  readonly emailUseTls: boolean
  /** TLS from the first byte. */
  readonly emailUseSsl: boolean
  /** Connection and inactivity timeout, in seconds. */
  readonly emailTimeout: number | null
}

const MAX_CONNECTIONS = 5
const MAILS_PER_CONNECTION = 100
/** Long enough to reuse a connection for several mails, and shorter than any server's idle timeout. */
const IDLE_MS = 10_000
const LONGEST_SILENCE_SECONDS = 600
/** Authentication errors (RFC 4954 section 6): a wrong setting, not a problem with the mail. */
const ABOUT_AUTHENTICATION: readonly number[] = [530, 534, 535, 538]

/**
 * Sends mail by SMTP with pooled connections. Mail is sent unencrypted unless TLS is configured; then the server's
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

/** Returns whether the server rejected the mail itself, rather than the connection, with 5yz. */
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

/** Loads nodemailer when the first mail is sent, to save startup time and memory. */
export const loadNodemailer = async (): Promise<Nodemailer> => import('nodemailer')

/** A mail in nodemailer's format. */
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
 * Converts a mail for nodemailer. Passes addresses as objects, which it doesn't parse again, and suppresses
 * auto-replies.
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
