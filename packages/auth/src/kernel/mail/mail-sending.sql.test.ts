import { type SmtpEmulator, startSmtpEmulator } from '@gatepost/emulators'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MailQueue } from './mail.ts'
import { smtpTransport } from './transports.ts'
import { type MailBench, mailBench, mailTo, until } from './testing-bench.ts'

describe.each(testDatabases)('mail from %s by a mail server', (_name, open) => {
  let bench: MailBench
  let server: SmtpEmulator
  let queue: MailQueue
  beforeEach(async () => {
    bench = await mailBench(open)
    server = await startSmtpEmulator()
    queue = bench.queueOn(
      smtpTransport({
        emailHost: server.host,
        emailPort: server.port,
        emailHostUser: '',
        emailHostPassword: '',
        emailUseTls: false,
        emailUseSsl: false,
        emailTimeout: 10,
      }),
    )
    queue.start()
  })
  afterEach(async () => {
    await bench.close()
    await server.close()
  })

  it('is sent after the commit, and its row goes', async () => {
    await bench.test.database.transaction(async (tx) => {
      await queue.enqueue(tx, mailTo('ann@example.org'))
      queue.wake()
      expect(server.attempts()).toBe(0)
    })
    queue.wake()
    expect(await server.received(1)).toMatchObject([
      { envelopeTo: ['ann@example.org'], from: 'Example <site@example.org>', subject: 'Reset' },
    ])
    await until(bench.isEmpty)
  })

  it('is not sent when the transaction is rolled back', async () => {
    const rolledBack = bench.test.database.transaction(async (tx) => {
      await queue.enqueue(tx, mailTo('nobody@example.org'))
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    await bench.enqueue(queue, mailTo('ann@example.org'))
    expect((await server.received(1)).map(({ envelopeTo }) => envelopeTo)).toEqual([['ann@example.org']])
    await until(bench.isEmpty)
    expect(server.attempts()).toBe(1)
  })

  it('is tried again later when the server puts it off', async () => {
    server.fail({ type: 'defer' })
    await bench.enqueue(queue, mailTo('ann@example.org'))
    await server.attempted(1)
    await until(bench.isUnclaimed)
    const [row] = await bench.rows()
    const waitMs = (row?.due_at_ms ?? 0) - bench.clock.now()
    expect(waitMs).toBeGreaterThanOrEqual(24_000)
    expect(waitMs).toBeLessThanOrEqual(36_000)
    bench.clock.advance(waitMs - 1)
    await bench.enqueue(queue, mailTo('bob@example.org'))
    expect(await server.received(1)).toMatchObject([{ envelopeTo: ['bob@example.org'] }])
    await until(async () => (await bench.rows()).length === 1)
    bench.clock.advance(1)
    queue.wake()
    expect((await server.received(2))[1]?.envelopeTo).toEqual(['ann@example.org'])
    await until(bench.isEmpty)
  })

  it('is dropped when the server rejects it permanently, and the log names no recipient', async () => {
    server.fail({ type: 'refuse' })
    await bench.enqueue(queue, mailTo('ann@example.org'))
    await server.attempted(1)
    await until(bench.isEmpty)
    expect(bench.logged).toMatchObject([
      { level: 'error', message: "A mail can't be delivered and was dropped.", fields: { reason: 'SMTP 550' } },
    ])
    expect(JSON.stringify(bench.logged)).not.toMatch(/ann@|example\.org|made-up-token/)
  })

  it('keeps its Message-ID if the response to the first attempt is lost', async () => {
    server.fail({ type: 'drop', kept: true })
    await bench.enqueue(queue, mailTo('ann@example.org'))
    await server.attempted(1)
    await until(bench.isUnclaimed)
    bench.clock.advance(60_000)
    queue.wake()
    const ids = (await server.received(2)).map(
      ({ headers }) => headers.find(({ name }) => name === 'message-id')?.value ?? '',
    )
    expect(new Set(ids).size).toBe(1)
    expect(ids[0]).toMatch(/^<[0-9a-f]{32}@example\.org>$/)
  })

  it('prevents header injection in subject and name, and reaches no one else', async () => {
    await bench.enqueue(queue, {
      ...mailTo('ann@example.org', 'Hello\r\nBcc: eve@example.net\r\n\r\nFree'),
      from: 'Site\r\nCc: eve@example.net\n <site@example.org>',
      headers: { 'Reply-To': 'help@example.org\r\nTo: eve@example.net' },
    })
    const [mail] = await server.received(1)
    expect(mail?.envelopeTo).toEqual(['ann@example.org'])
    expect(mail?.subject).toBe('Hello Bcc: eve@example.net Free')
    const names = mail?.headers.map(({ name }) => name) ?? []
    expect(names).not.toContain('bcc')
    expect(names).not.toContain('cc')
    expect(names.filter((name) => name === 'to')).toHaveLength(1)
    expect(mail?.text).toBe('Open https://id.example.org/reset/made-up-token/\n')
  })
})
