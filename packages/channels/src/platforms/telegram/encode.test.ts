import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { OutboundTextPart } from '../../message.ts'
import {
  draftBody,
  toDraftId,
  editMessageBody,
  fileForm,
  fileMethodFor,
  sendMessageBody,
  typingBody,
} from './encode.ts'
import { telegram } from './platform.ts'

const part: OutboundTextPart = {
  kind: 'text',
  deliveryId: 'turn.1',
  chat: { id: '-1001', kind: 'group', threadId: '3' },
  replyTo: '55',
  body: '<b>hi</b>',
  plain: false,
}

it('sends HTML into the topic as a reply that may lose its target', () => {
  expect(sendMessageBody(part)).toEqual({
    chat_id: -1001,
    message_thread_id: 3,
    text: '<b>hi</b>',
    parse_mode: 'HTML',
    reply_parameters: { message_id: 55, allow_sending_without_reply: true },
    link_preview_options: { is_disabled: true },
  })
})

it('leaves out what is not there or is no id', () => {
  const plain: OutboundTextPart = { ...part, chat: { id: '@news', kind: 'group' }, replyTo: 'x', plain: true }
  expect(sendMessageBody(plain)).toEqual({
    chat_id: '@news',
    text: '<b>hi</b>',
    link_preview_options: { is_disabled: true },
  })
  expect(editMessageBody(part, 'no id')).toBeNull()
  expect(draftBody(plain)).toBeNull()
  expect(typingBody({ id: '42', kind: 'direct' })).toEqual({ chat_id: 42, action: 'typing' })
})

it('edits by the same text and markup as it sends', () => {
  const { text, parse_mode, link_preview_options } = sendMessageBody(part)
  expect(editMessageBody(part, '7')).toEqual({ chat_id: -1001, message_id: 7, text, parse_mode, link_preview_options })
})

it('numbers drafts by their delivery: stable, not zero, within 31 bits', () => {
  fc.assert(
    fc.property(fc.string(), (deliveryId) => {
      const id = toDraftId(deliveryId)
      expect(id).toBe(toDraftId(deliveryId))
      expect(Number.isInteger(id) && id > 0 && id < 2 ** 31).toBe(true)
    }),
  )
  expect(toDraftId('turn.1')).not.toBe(toDraftId('turn.2'))
})

it.each([
  ['image/jpeg', 1_000, 'sendPhoto'],
  ['IMAGE/PNG; x=1', 1_000, 'sendPhoto'],
  ['image/png', 20_000_000, 'sendDocument'],
  ['image/svg+xml', 1_000, 'sendDocument'],
  ['audio/ogg; codecs=opus', 1_000, 'sendVoice'],
  ['audio/mpeg', 1_000, 'sendDocument'],
  ['', 1_000, 'sendDocument'],
] as const)('shows a file of type "%s" and %i bytes by %s', (mime, size, method) => {
  expect(fileMethodFor(mime, size, 10_000_000)).toBe(method)
})

it('names an uploaded file as it is called, without what would end a header', () => {
  const file = { kind: 'file', deliveryId: 'a.1', chat: part.chat, mime: 'text/plain', path: '/x' } as const
  const getName = (name: string): unknown => {
    const value = fileForm({ ...file, name }, 'sendDocument', new Blob(['x'])).get('document')
    return value instanceof File ? value.name : value
  }
  expect(getName('a "b"; c.txt')).toBe('a "b"; c.txt')
  expect(getName('a\r\nX-Header: 1')).toBe('a  X-Header: 1')
  expect(getName('\n')).toBe('file')
})

const TOKEN = `123:${'a'.repeat(35)}`
it.each<[input: object, ok: boolean]>([
  [{ bot_token: ` ${TOKEN}\n` }, true],
  [{ bot_token: TOKEN, base_url: 'http://127.0.0.1:8081/', parse_mode: 'HTML' }, true],
  [{ bot_token: '123:short' }, false],
  [{ bot_token: `x${TOKEN}` }, false],
  [{ bot_token: 5 }, false],
  [{}, false],
  [{ bot_token: TOKEN, base_url: 'ftp://example.org' }, false],
  [{ bot_token: TOKEN, base_url: 'https://user:secret@example.org' }, false],
  [{ bot_token: TOKEN, base_url: 'https://example.org/?x=1' }, false],
  [{ bot_token: TOKEN, base_url: 'example.org' }, false],
  [{ bot_token: TOKEN, parse_mode: 'BBCode' }, false],
  [{ bot_token: TOKEN, tokn: 1 }, false],
])('reads credentials %j: %s', (input, ok) => {
  expect(telegram.credentials.schema.safeParse(input).success).toBe(ok)
})

it('trims the token and the slash at the end, and renders Markdown by default', () => {
  const { schema } = telegram.credentials
  expect(schema.parse({ bot_token: ` ${TOKEN} `, base_url: 'http://127.0.0.1:8081//' })).toEqual({
    bot_token: TOKEN,
    base_url: 'http://127.0.0.1:8081',
    parse_mode: 'Markdown',
  })
  expect(telegram.identity({ bot_token: TOKEN, parse_mode: 'HTML' })).toBe('123')
})
