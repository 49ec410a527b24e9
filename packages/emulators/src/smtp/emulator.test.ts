import { createTransport } from 'nodemailer'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SmtpEmulator, type SmtpEmulatorOptions, startSmtpEmulator } from './emulator.ts'

let server: SmtpEmulator
afterEach(async () => server.close())

const MAIL = {
  from: 'Site <site@example.org>',
  to: 'ann@example.org',
  subject: 'Grüße',
  text: 'Hällo',
  html: '<p>Hällo',
}
const send = async (options: object = {}, mail: object = MAIL) =>
  createTransport({ host: server.host, port: server.port, ...options }).sendMail(mail)

describe('a mail server', () => {
  beforeEach(async () => {
    server = await startSmtpEmulator()
  })

  it('keeps what it gets, as a mail program shows it', async () => {
    await send()
    expect(await server.received(1)).toMatchObject([
      {
        envelopeFrom: 'site@example.org',
        envelopeTo: ['ann@example.org'],
        from: 'Site <site@example.org>',
        to: ['ann@example.org'],
        subject: 'Grüße',
        text: 'Hällo\n',
        html: '<p>Hällo\n',
        secure: false,
        user: null,
      },
    ])
  })

  it('refuses, defers and cuts the connection as told, in order, and then takes mail', async () => {
    server.fail({ type: 'refuse' })
    server.fail({ type: 'defer', at: 'mail' })
    server.fail({ type: 'refuse', at: 'data', code: 554 })
    server.fail({ type: 'drop' })
    await expect(send()).rejects.toMatchObject({ responseCode: 550 })
    await expect(send()).rejects.toMatchObject({ responseCode: 451 })
    await expect(send()).rejects.toMatchObject({ responseCode: 554 })
    await expect(send()).rejects.toThrow()
    expect(server.mails()).toEqual([])
    await send()
    expect(server.mails()).toHaveLength(1)
    expect([server.attempts(), server.connections()]).toEqual([5, 5])
  })

  it('keeps a mail whose answer is lost', async () => {
    server.fail({ type: 'drop', kept: true })
    await expect(send()).rejects.toThrow()
    expect(server.mails()).toHaveLength(1)
  })

  it('hangs as told', async () => {
    server.fail({ type: 'hang' })
    const controller = new AbortController()
    const sent = send({}, { ...MAIL, signal: controller.signal })
    void server.attempted(1).then(() => controller.abort())
    await expect(sent).rejects.toThrow()
    expect(server.mails()).toEqual([])
  })
})

it.each<[string, SmtpEmulatorOptions, object]>([
  ['STARTTLS', { tls: 'starttls' }, { requireTLS: true }],
  ['TLS from the first byte', { tls: 'implicit' }, { secure: true }],
])('speaks %s to whoever trusts its certificate', async (_name, options, client) => {
  server = await startSmtpEmulator(options)
  await expect(send(client)).rejects.toMatchObject({ code: 'ESOCKET' })
  await send({ ...client, tls: { ca: server.certificate } })
  expect(server.mails()).toMatchObject([{ secure: true }])
})

it('takes mail of those alone who may send', async () => {
  server = await startSmtpEmulator({ login: { user: 'site', password: 'made-up' } })
  await expect(send()).rejects.toMatchObject({ responseCode: 530 })
  await expect(send({ auth: { user: 'site', pass: 'wrong' } })).rejects.toMatchObject({ responseCode: 535 })
  await send({ auth: { user: 'site', pass: 'made-up' } })
  expect(server.mails()).toMatchObject([{ user: 'site' }])
})
