import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MailRefused, mailMessage, parseMailbox, type MailMessage } from './mail.ts'
import { composeMail, loadNodemailer } from './transports.ts'

const MAIL: MailMessage = {
  from: 'site@example.org',
  to: 'ann@example.org',
  subject: 'Hello',
  text: 'Hello',
  html: null,
  headers: {},
}

describe('a mail', () => {
  it.each([
    ['Confirm\n  your\r\naddress\n', 'Confirm your address'],
    ['Hello\r\nBcc: eve@example.net', 'Hello Bcc: eve@example.net'],
    ['a\u2028b\u2029c\u0085d\u0000e\u000bf', 'a b c d e f'],
    ['Grüße 👋 \ud800', 'Grüße 👋 \ufffd'],
    ['x'.repeat(5_000), 'x'.repeat(800)],
    ['', ''],
  ])('has its subject %j on one line', (subject, line) => {
    expect(mailMessage({ ...MAIL, subject }).subject).toBe(line)
  })

  it.each([
    ['site@example.org', { name: '', address: 'site@example.org' }, 'site@example.org'],
    ['Example <site@example.org>', { name: 'Example', address: 'site@example.org' }, 'Example <site@example.org>'],
    [
      'Example, Inc. <a@example.org>',
      { name: 'Example, Inc.', address: 'a@example.org' },
      '"Example, Inc." <a@example.org>',
    ],
    ['"A \\"B\\" C" <a@example.org>', { name: 'A "B" C', address: 'a@example.org' }, '"A \\"B\\" C" <a@example.org>'],
    ['例 <a@example.org>', { name: '例', address: 'a@example.org' }, '例 <a@example.org>'],
    [
      'A\r\nCc: e@example.net\r\n <a@example.org>',
      { name: 'A Cc: e@example.net', address: 'a@example.org' },
      '"A Cc: e@example.net" <a@example.org>',
    ],
  ])('reads and writes its sender %j', (from, mailbox, text) => {
    expect(parseMailbox(from)).toEqual(mailbox)
    expect(mailMessage({ ...MAIL, from }).from).toBe(text)
  })

  it.each<[why: string, change: Partial<MailMessage>]>([
    ['a sender that is none', { from: 'Example' }],
    ['two senders', { from: 'a@example.org, b@example.org' }],
    ['no recipient', { to: '' }],
    ['two recipients', { to: 'a@example.org,b@example.org' }],
    ['a recipient in brackets', { to: '<a@example.org>' }],
    ['a recipient with a line break', { to: 'a@example.org\n' }],
    ['a recipient with a comment', { to: 'a(b)@example.org' }],
    ['a recipient that is quoted', { to: '"a b"@example.org' }],
    ['a recipient with a lone surrogate', { to: 'a\ud800@example.org' }],
    ['a recipient with a bidirectional control', { to: 'a\u202e@example.org' }],
    ['another recipient in a header', { headers: { Bcc: 'eve@example.net' } }],
    ['a header about the content', { headers: { 'Content-Type': 'text/html' } }],
    ['a header with a line break in its name', { headers: { 'X\r\nBcc': 'eve@example.net' } }],
    ['a header without a name', { headers: { '': 'x' } }],
  ])('is refused with %s', (_why, change) => {
    expect(() => mailMessage({ ...MAIL, ...change })).toThrow(MailRefused)
  })

  it('loses no line of its text, and every control character', () => {
    const { text, html } = mailMessage({ ...MAIL, text: 'a\r\n\tb\nc\u0000\u001b[2Jd', html: '<p>\u0007e' })
    expect([text, html]).toEqual(['a\r\n\tb\nc[2Jd', '<p>e'])
  })

  it('is idempotent', () => {
    const line = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(line, line, line, (name, subject, text) => {
        const once = mailMessage({ ...MAIL, from: `${name.replace(/[<>]/g, '')} <a@example.org>`, subject, text })
        expect(mailMessage(once)).toEqual(once)
      }),
    )
  })

  it('has only the expected headers and one recipient on the wire, whatever the input', async () => {
    const { createTransport } = await loadNodemailer()
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
    const parts = fc.array(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        ' ',
        'Bcc: eve@example.net',
        'To:',
        '<',
        '>',
        '"',
        ',',
        '\\',
        'ü',
        '=?utf-8?q?=0ABcc?=',
        '@',
        'a',
      ),
    )
    const text = parts.map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(text, text, text, text, async (name, subject, body, reply) => {
        const mail = buildOrNull({
          ...MAIL,
          from: `${name} <a@example.org>`,
          subject,
          text: body,
          headers: { 'Reply-To': reply },
        })
        fc.pre(mail !== null)
        const { message, envelope } = await composer.sendMail(composeMail(mail ?? MAIL))
        const [head = ''] = (Buffer.isBuffer(message) ? message.toString() : '').split('\r\n\r\n')
        const names = head
          .replace(/\r\n[ \t]/g, ' ')
          .split('\r\n')
          .map((header) => header.split(':')[0]?.toLowerCase() ?? '')
        const allowed = ['from', 'to', 'subject', 'reply-to', 'auto-submitted', 'message-id', 'date', 'mime-version']
        expect(names.filter((each) => !allowed.includes(each) && !each.startsWith('content-'))).toEqual([])
        expect(names.filter((each) => each === 'to')).toHaveLength(1)
        expect(envelope.to).toEqual(['ann@example.org'])
      }),
      { numRuns: 200 },
    )
  })
})

function buildOrNull(draft: MailMessage): MailMessage | null {
  try {
    return mailMessage(draft)
  } catch (error) {
    if (error instanceof MailRefused) return null
    throw error
  }
}
