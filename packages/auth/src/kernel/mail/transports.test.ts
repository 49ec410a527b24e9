import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { type SmtpEmulator, startSmtpEmulator } from '@gatepost/emulators'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manualClock } from '../../testing/clock.ts'
import { type MailMessage, MailRefused, type MailTransport } from './mail.ts'
import { createMailTransport, type MailTransportSettings } from './transports.ts'

const MAIL: MailMessage = {
  from: 'Example <site@example.org>',
  to: 'ann@example.org',
  subject: 'Grüße',
  text: 'Öffne https://id.example.org/',
  html: '<p>Öffne</p>',
  headers: {},
}
const SETTINGS: MailTransportSettings = {
  emailBackend: 'smtp',
  emailHost: 'localhost',
  emailPort: 25,
  emailHostUser: '',
  emailHostPassword: '',
  emailUseTls: false,
  emailUseSsl: false,
  emailTimeout: 10,
  emailFilePath: null,
}
const write = (): void => {}
const never = new AbortController().signal

describe('by a mail server', () => {
  let server: SmtpEmulator
  const opened: MailTransport[] = []
  const transport = (changes: Partial<MailTransportSettings> = {}): MailTransport => {
    const at = { emailHost: server.host, emailPort: server.port }
    const made = createMailTransport({ ...SETTINGS, ...at, ...changes }, { write })
    opened.push(made)
    return made
  }
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(async (each) => each.close?.()))
    await server.close()
  })

  it('leaves as text and as a page, and is answered by no machine', async () => {
    server = await startSmtpEmulator()
    await transport().send(MAIL, never)
    const [mail] = await server.received(1)
    expect(mail).toMatchObject({
      envelopeFrom: 'site@example.org',
      envelopeTo: ['ann@example.org'],
      from: 'Example <site@example.org>',
      subject: 'Grüße',
      text: `${MAIL.text}\n`,
      html: `${MAIL.html}\n`,
    })
    expect(mail?.headers).toContainEqual({ name: 'auto-submitted', value: 'auto-generated' })
  })

  it('uses one connection for mails that follow each other', async () => {
    server = await startSmtpEmulator()
    const smtp = transport()
    for (let at = 0; at < 4; at++) await smtp.send(MAIL, never)
    expect([server.mails().length, server.connections()]).toEqual([4, 1])
  })

  it.each([
    [550, 'mail'],
    [550, 'rcpt'],
    [554, 'data'],
  ] as const)('is refused for good by %i to %s', async (code, at) => {
    server = await startSmtpEmulator()
    server.fail({ type: 'refuse', at, code })
    await expect(transport().send(MAIL, never)).rejects.toThrow(new MailRefused(`SMTP ${code}`))
  })

  it.each([
    [451, 'rcpt'],
    [421, 'mail'],
    [452, 'data'],
  ] as const)('may be tried again after %i to %s', async (code, at) => {
    server = await startSmtpEmulator()
    server.fail({ type: 'defer', at, code })
    const failure: unknown = await transport()
      .send(MAIL, never)
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ responseCode: code })
    expect(failure).not.toBeInstanceOf(MailRefused)
  })

  it('may be tried again when the connection is cut, once and not by itself', async () => {
    server = await startSmtpEmulator()
    server.fail({ type: 'drop' })
    const failure: unknown = await transport()
      .send(MAIL, never)
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(MailRefused)
    expect(server.attempts()).toBe(1)
  })

  it('closes a hanging connection when cancelled, and sends the next mail', async () => {
    server = await startSmtpEmulator()
    server.fail({ type: 'hang' })
    const controller = new AbortController()
    const smtp = transport()
    const sent = smtp.send(MAIL, controller.signal)
    void server.attempted(1).then(() => controller.abort())
    await expect(sent).rejects.toThrow()
    await smtp.send(MAIL, never)
    expect(server.mails()).toHaveLength(1)
  })

  it('signs in, and keeps the mail when the password is wrong', async () => {
    server = await startSmtpEmulator({ login: { user: 'site', password: 'made-up' } })
    for (const emailHostPassword of ['wrong', '']) {
      const wrong = transport({ emailHostUser: 'site', emailHostPassword })
      const failure: unknown = await wrong.send(MAIL, never).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(Error)
      expect(failure).not.toBeInstanceOf(MailRefused)
    }
    const anonymous: unknown = await transport()
      .send(MAIL, never)
      .catch((error: unknown) => error)
    expect(anonymous).toMatchObject({ responseCode: 530 })
    expect(anonymous).not.toBeInstanceOf(MailRefused)
    await transport({ emailHostUser: 'site', emailHostPassword: 'made-up' }).send(MAIL, never)
    expect(server.mails()).toMatchObject([{ user: 'site' }])
  })

  describe.each([
    ['STARTTLS', 'starttls', { emailUseTls: true }],
    ['TLS', 'implicit', { emailUseSsl: true }],
  ] as const)('with %s', (_what, tls, settings) => {
    const trusted = getCACertificates('default')
    afterEach(() => setDefaultCACertificates(trusted))

    it('is sent to a server that this machine trusts, and to no other', async () => {
      server = await startSmtpEmulator({ tls })
      await expect(transport(settings).send(MAIL, never)).rejects.toThrow('self-signed certificate')
      expect(server.attempts()).toBe(0)
      setDefaultCACertificates([...trusted, server.certificate])
      await transport(settings).send(MAIL, never)
      expect(server.mails()).toMatchObject([{ secure: true }])
    })

    it('is not sent to a server that has none', async () => {
      server = await startSmtpEmulator()
      await expect(transport(settings).send(MAIL, never)).rejects.toThrow()
      expect(server.attempts()).toBe(0)
    })
  })

  it('fails without a server', async () => {
    server = await startSmtpEmulator()
    const smtp = transport()
    await server.close()
    const failure: unknown = await smtp.send(MAIL, never).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'ESOCKET' })
    server = await startSmtpEmulator()
  })
})

describe('to the console', () => {
  it('is one block that can be read, and moves no cursor', async () => {
    const written: string[] = []
    const settings = { ...SETTINGS, emailBackend: 'console' as const }
    await createMailTransport(settings, { write: (text) => void written.push(text) }).send(
      { ...MAIL, subject: 'Hi \u001b]0;x\u0007', text: 'One\r\n\u001b[2JTwo\n\n' },
      never,
    )
    const rule = '-'.repeat(80)
    const head = 'From: Example <site@example.org>\nTo: ann@example.org\nSubject: Hi ]0;x'
    expect(written).toEqual([`${rule}\n${head}\n\nOne\n[2JTwo\n${rule}\n`])
  })
})

describe('into a folder', () => {
  let parent: string
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'gatepost-mail-'))
  })
  afterEach(async () => rm(parent, { recursive: true, force: true }))

  it('is written to its own file, which only the owner can read', async () => {
    const folder = join(parent, 'some', 'mails')
    const settings = { ...SETTINGS, emailBackend: 'file' as const, emailFilePath: folder }
    let count = 0
    const random = (length: number): Buffer => Buffer.alloc(length, (count += 1))
    const transport = createMailTransport(settings, { write, clock: manualClock(), random })
    await transport.send(MAIL, never)
    await transport.send({ ...MAIL, to: 'bob@example.org' }, never)
    const names = (await readdir(folder)).toSorted()
    expect(names).toEqual(['20260115T120000000Z-010101010101.eml', '20260115T120000000Z-020202020202.eml'])
    const path = join(folder, names[0] ?? '')
    expect([(await stat(folder)).mode & 0o777, (await stat(path)).mode & 0o777]).toEqual([0o700, 0o600])
    const mail = await readFile(path, 'latin1')
    expect(mail).toContain('To: ann@example.org\r\n')
    expect(mail).toContain('=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=')
  })

  it('needs a folder', () => {
    const settings = { ...SETTINGS, emailBackend: 'file' as const }
    expect(() => createMailTransport(settings, { write })).toThrow('EMAIL_FILE_PATH must be set to the folder')
  })
})
