import { once } from 'node:events'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerEnvelope, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { BoundedLog } from '../kit/bounded-log.ts'
import { listen, reportCrash } from '../kit/server.ts'

/** A fault of one mail. */
export type SmtpFault =
  /** Permanent error 550, or another 5xx. `at`: the stage, default `rcpt`. */
  | { readonly type: 'refuse'; readonly at?: SmtpStage; readonly code?: number }
  /** Temporary error 451, or another 4xx. */
  | { readonly type: 'defer'; readonly at?: SmtpStage; readonly code?: number }
  /** The mail is read but gets no response. */
  | { readonly type: 'hang' }
  /** The connection is cut after the mail was read; `kept`: the mail arrives and only the response is lost. */
  | { readonly type: 'drop'; readonly kept?: boolean }

/** The command that fails. */
type SmtpStage = 'mail' | 'rcpt' | 'data'

/** Options of the emulator. */
export interface SmtpEmulatorOptions {
  /** Default: a free port. */
  readonly port?: number
  /** `starttls` offers STARTTLS, `implicit` uses TLS from the first byte. Default `none`. */
  readonly tls?: 'none' | 'starttls' | 'implicit'
  /** Required credentials (AUTH PLAIN and LOGIN, also without TLS). Default: none. */
  readonly login?: { readonly user: string; readonly password: string }
}

/** A running emulator. */
export interface SmtpEmulator {
  readonly host: '127.0.0.1'
  readonly port: number
  /** PEM, self-signed, for `localhost` and `127.0.0.1`. */
  readonly certificate: string
  /** Returns the last 1,000 mails, oldest first. */
  mails(): readonly ReceivedMail[]
  /** Resolves to the stored mails once `count` have arrived since the start. */
  received(count: number): Promise<readonly ReceivedMail[]>
  /** Returns the number of mails begun (MAIL FROM) since the start. */
  attempts(): number
  /** Resolves once this many mails were begun and answered, or hang. */
  attempted(count: number): Promise<void>
  /** Returns the number of connections since the start. */
  connections(): number
  /** Adds a fault for the next mail, or the next `times` mails; several apply in order. */
  fail(fault: SmtpFault, times?: number): void
  /** Removes all pending faults. */
  clearFaults(): void
  close(): Promise<void>
}

const MAILS_KEPT = 1_000
const LARGEST_MAIL = 10 * 1024 * 1024

/** Counters that callers can wait for. */
interface Progress {
  readonly mails: BoundedLog<ReceivedMail>
  begun: number
  settled: number
  connections: number
  readonly changed: EventTarget
}

/**
 * Starts a mail server on loopback that stores mails instead of delivering them.
 * @see RFC 5321 (SMTP), RFC 5322 (the mail), RFC 3207 (STARTTLS), RFC 4954 (AUTH)
 */
export async function startSmtpEmulator(options: SmtpEmulatorOptions = {}): Promise<SmtpEmulator> {
  const faults: SmtpFault[] = []
  const sockets = new Map<number, Socket>()
  const progress: Progress = {
    mails: new BoundedLog(MAILS_KEPT),
    begun: 0,
    settled: 0,
    connections: 0,
    changed: new EventTarget(),
  }
  const cut = (session: SMTPServerSession): void => void sockets.get(session.remotePort)?.destroy()
  const server = new SMTPServer({ ...serverOptions(options), ...handlers(faults, progress, cut) })
  // errors of a connection are the client's: it disconnected, or doesn't trust the certificate
  server.on('error', (error) => {
    if (!('remote' in error) && !('meta' in error)) reportCrash(error)
  })
  server.server.on('connection', (socket: Socket) => {
    progress.connections += 1
    const port = socket.remotePort ?? 0
    sockets.set(port, socket)
    socket.once('close', () => sockets.delete(port))
  })
  await listen(server.server, options.port ?? 0)
  const address = server.server.address()
  const until = async (reached: () => boolean): Promise<void> => {
    while (!reached()) await once(progress.changed, 'change')
  }
  return {
    host: '127.0.0.1',
    certificate: SMTP_EMULATOR_CERTIFICATE,
    port: typeof address === 'object' && address !== null ? address.port : (options.port ?? 0),
    mails: () => progress.mails.after(0),
    async received(count) {
      await until(() => progress.mails.last >= count)
      return progress.mails.after(0)
    },
    attempts: () => progress.begun,
    attempted: async (count) => until(() => progress.settled >= count),
    connections: () => progress.connections,
    fail: (fault, times = 1) => void faults.push(...Array.from({ length: times }, () => fault)),
    clearFaults: () => void faults.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets.values()) socket.destroy()
      }),
  }
}

function serverOptions({ tls = 'none', login }: SmtpEmulatorOptions): SMTPServerOptions {
  return {
    name: 'localhost',
    banner: 'emulated, delivers nothing',
    key: SMTP_EMULATOR_KEY,
    cert: SMTP_EMULATOR_CERTIFICATE,
    secure: tls === 'implicit',
    disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(login === undefined ? ['AUTH'] : [])],
    allowInsecureAuth: true,
    authOptional: login === undefined,
    disableReverseLookup: true,
    size: LARGEST_MAIL,
    closeTimeout: 1,
    onAuth(auth, _session, callback) {
      const known = auth.username === login?.user && auth.password === login?.password
      if (known) callback(null, { user: auth.username })
      else callback(Object.assign(new Error('5.7.8 Authentication credentials invalid'), { responseCode: 535 }))
    },
  }
}

type Handlers = Pick<SMTPServerOptions, 'onMailFrom' | 'onRcptTo' | 'onData'>

function handlers(faults: SmtpFault[], progress: Progress, cut: (session: SMTPServerSession) => void): Handlers {
  const changed = (): void => void progress.changed.dispatchEvent(new Event('change'))
  /** Fault of the mail that a connection is sending. */
  const current = new WeakMap<SMTPServerSession, SmtpFault>()
  const answer = (session: SMTPServerSession, stage: SmtpStage, callback: (error?: Error) => void): boolean => {
    const error = findRefusal(current.get(session), stage)
    if (error === null) return false
    progress.settled += 1
    callback(error)
    changed()
    return true
  }
  return {
    onMailFrom(_address, session, callback) {
      progress.begun += 1
      const fault = faults.shift()
      if (fault === undefined) current.delete(session)
      else current.set(session, fault)
      if (!answer(session, 'mail', callback)) callback()
    },
    onRcptTo(_address, session, callback) {
      if (!answer(session, 'rcpt', callback)) callback()
    },
    onData(stream, session, callback) {
      const fault = current.get(session)
      const { envelope, secure } = session
      const user = typeof session.user === 'string' ? session.user : null
      const finish = async (): Promise<void> => {
        const raw = await buffer(stream)
        if (answer(session, 'data', callback)) return
        const isKept = fault === undefined || (fault.type === 'drop' && fault.kept === true)
        if (isKept) progress.mails.push(await readMail(raw, { envelope, secure, user }))
        if (fault?.type === 'drop') cut(session)
        else if (fault === undefined) callback(null, 'kept')
        progress.settled += 1
        changed()
      }
      finish().catch((error: unknown) => {
        reportCrash(error)
        cut(session)
      })
    },
  }
}

function findRefusal(fault: SmtpFault | undefined, stage: SmtpStage): Error | null {
  if (fault?.type !== 'refuse' && fault?.type !== 'defer') return null
  if ((fault.at ?? 'rcpt') !== stage) return null
  const { type, code = type === 'refuse' ? 550 : 451 } = fault
  const text = type === 'refuse' ? '5.1.1 No such mailbox here' : '4.7.1 Try again later'
  return Object.assign(new Error(text), { responseCode: code })
}

/** Self-signed, for this emulator only: `localhost` and `127.0.0.1`, until 2120. Clients must trust it explicitly. */
const SMTP_EMULATOR_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBSDCB7qADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE5FilYAEFDrIXnuBD
IC0f5t8ppDZphuN9u5Qo2l9fwTSMCj0Ts417nI15nviquWWemX74GSqPVE73fCsJ
5UDNW6MvMC0wGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAJuUJZLeDgtz7KZCz9BPMnoz0bwrYHlx
/YwdFs1Wd7tkAiEA0Ns5l1XP0nxNWPDGVTXnWnobhnqnNe70+kzvZEqbQQg=
-----END CERTIFICATE-----
`

/** Key of the certificate; protects nothing. */
const SMTP_EMULATOR_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0wt2lHbtg9ocAeyF
7k99SMe9CfSTMgwpZLeen5a5SV6hRANCAATkWKVgAQUOshee4EMgLR/m3ymkNmmG
4327lCjaX1/BNIwKPROzjXucjXme+Kq5ZZ6ZfvgZKo9UTvd8KwnlQM1b
-----END PRIVATE KEY-----
`

/** A received mail, raw and parsed. */
export interface ReceivedMail {
  /** MAIL FROM; empty for the null sender. */
  readonly envelopeFrom: string
  /** RCPT TO: the actual recipients. */
  readonly envelopeTo: readonly string[]
  /** Header `From`: `Name <address>` or an address. */
  readonly from: string
  /** Addresses of the header `To`. */
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** `null` when there is no HTML part. */
  readonly html: string | null
  /** In order; names in lower case, values unfolded but not decoded. */
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly raw: string
  /** Whether it arrived over TLS. */
  readonly secure: boolean
  /** Authenticated user, or `null`. */
  readonly user: string | null
}

/** Transfer data of a mail. */
interface MailTransfer {
  readonly envelope: SMTPServerEnvelope
  readonly secure: boolean
  readonly user: string | null
}

/** Parses a received mail. @see RFC 5322, RFC 2045 to 2047 */
async function readMail(raw: Buffer, { envelope, secure, user }: MailTransfer): Promise<ReceivedMail> {
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
