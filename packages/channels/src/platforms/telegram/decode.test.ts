import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeUpdate } from './decode.ts'
import { isObject, parseJson } from '../wire/json.ts'

const bot = { id: 9, username: 'gatepost_bot' }
const aText: unknown = expect.any(String)
const NOW = 1_763_700_001_000

const recorded = parseJson(readFileSync(new URL('fixtures/updates.json', import.meta.url), 'utf8'))
const updateNamed = (name: string): unknown => (isObject(recorded) ? recorded[name] : undefined)

const group = { id: '-1001', kind: 'group', title: 'Team' }
const messages: readonly [name: string, event: object][] = [
  [
    'private text',
    {
      type: 'message',
      key: 'm:42:55',
      messageId: '55',
      chat: { id: '42', kind: 'direct' },
      from: { id: '42', name: 'Ann Lee', username: 'ann' },
      text: 'hello',
      sentAtMs: 1_763_700_000_000,
      addressed: true,
      media: [],
    },
  ],
  ['group mention', { chat: group, text: 'hey what is up', addressed: true }],
  ['group text mention', { text: '🙂 help', addressed: true }],
  ['group command for us', { text: '/ask why', addressed: true }],
  ['group command for another', { text: '/ask@other_bot why', addressed: false }],
  ['group bare command', { text: '/ask why', addressed: true }],
  ['group slash in a sentence', { text: 'look in /etc', addressed: false }],
  ['group reply to us', { addressed: true, quoted: { messageId: '6', text: 'then that' } }],
  ['topic opened by us', { chat: { ...group, threadId: '3' }, addressed: false }],
  ['thread that is no topic', { chat: group, addressed: false }],
  [
    'album photo',
    {
      text: 'two pictures',
      settleMs: 1_000,
      media: [{ kind: 'image', ref: 'large', mime: 'image/jpeg', sizeBytes: 90_000 }],
    },
  ],
  ['animation', { text: '', media: [{ kind: 'video', ref: 'anim', name: 'cat.mp4', mime: 'video/mp4' }] }],
  ['voice', { media: [{ kind: 'voice', ref: 'v', mime: 'audio/ogg', sizeBytes: 4711 }] }],
  ['sticker', { text: '[Sticker 👍]', media: [{ kind: 'sticker', ref: 's', mime: 'image/webp' }] }],
  ['location', { text: '[Location: 52.5, 13.4]' }],
  ['contact', { text: '[Contact: Bo, +49 1]' }],
  ['poll', { text: '[Poll: Tea? | yes | no]' }],
  ['hidden link', { text: 'read this (https://example.org/a) please' }],
  ['nothing but the name', { text: '@gatepost_bot', addressed: true }],
  ['edit', { type: 'edit', key: 'm:42:55', messageId: '55', text: 'hello again' }],
  ['button', { key: 'c:4382bfdwdsb323b2d9', messageId: '70', text: 'yes', addressed: true, sentAtMs: NOW }],
  ['blocked', { type: 'reachability', person: { id: '42', name: 'Ann' }, unreachable: aText }],
  ['unblocked', { type: 'reachability', person: { id: '42' }, unreachable: null }],
  ['removed from a group', { type: 'reachability', person: { id: '-1001' }, unreachable: aText }],
  ['migrated', { type: 'chat_moved', key: 'x:-5', chat: { id: '-5' }, toChatId: '-1005' }],
  ['migrated from', { type: 'chat_moved', key: 'x:-5', chat: { id: '-5' }, toChatId: '-1005' }],
]
it.each(messages)('reads: %s', (name, event) => {
  const decoded = decodeUpdate(updateNamed(name), bot, NOW)
  expect(decoded.malformed).toBeUndefined()
  expect(decoded.event).toMatchObject(event)
})

it.each(['own message', 'via our inline mode', 'linked channel', 'somebody joined'])('leaves out: %s', (name) => {
  const decoded = decodeUpdate(updateNamed(name), bot, NOW)
  expect(decoded.updateId).toBeGreaterThan(700_000_000)
  expect([decoded.event, decoded.malformed]).toEqual([undefined, undefined])
  expect(decoded.seen?.messageId).toBeGreaterThan(0)
})

it('has a pressed button answered', () => {
  expect(decodeUpdate(updateNamed('button'), bot, NOW).callbackQueryId).toBe('4382bfdwdsb323b2d9')
})

it('waits for the rest of a text that the client has split', () => {
  const chat = { id: 42, type: 'private' }
  const from = { id: 42, is_bot: false, first_name: 'Ann' }
  const message = { message_id: 1, date: 1, chat, from, text: 'x'.repeat(4_096) }
  expect(decodeUpdate({ update_id: 1, message }, bot, NOW).event).toMatchObject({ settleMs: 1_000 })
})

const MESSAGE = {
  message_id: 1,
  date: 1,
  chat: { id: 42, type: 'private' },
  from: { id: 42, is_bot: false, first_name: 'Ann' },
  text: 'hello',
}
const malformed: readonly [why: string, message: unknown][] = [
  ['nothing', null],
  ['a list', []],
  ['no id', { ...MESSAGE, message_id: undefined }],
  ['an id that is a text', { ...MESSAGE, message_id: '1' }],
  ['an id beyond exact numbers', { ...MESSAGE, message_id: 2 ** 60 }],
  ['no chat', { ...MESSAGE, chat: 'constructor' }],
  ['a chat of an unknown kind', { ...MESSAGE, chat: { id: 42, type: '__proto__' } }],
  ['nobody', { ...MESSAGE, from: undefined }],
  ['no date', { ...MESSAGE, date: 'today' }],
  ['a date that is none', { ...MESSAGE, date: 9e15 }],
  ['a text that is none', { ...MESSAGE, text: { length: 5 } }],
  ['a huge text', { ...MESSAGE, text: 'x'.repeat(100_000) }],
]
it.each(malformed)('drops a message with %s', (_why, message) => {
  const decoded = decodeUpdate({ update_id: 5, message }, bot, NOW)
  expect(decoded.updateId).toBe(5)
  expect(decoded.malformed).toMatch(/^message\./)
  expect(decoded.event).toBeUndefined()
})

it.each([null, 7, 'x', [], {}, { update_id: '5' }, { update_id: 1.5 }])(
  'drops an update without a number: %j',
  (value) => {
    expect(decodeUpdate(value, bot, NOW)).toEqual({ updateId: null, malformed: 'update_id' })
  },
)

it('never throws and never invents ids, whatever a field is replaced by', () => {
  const names = isObject(recorded) ? Object.keys(recorded) : []
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom('__proto__', 'constructor', -1, 1e308, ''))
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.nat(200), anything, (name, place, value) => {
      const decoded = decodeUpdate(withReplaced(updateNamed(name), place, value), bot, NOW)
      const { event } = decoded
      if (event !== undefined) expect(event.chat.id).toMatch(/^-?\d+$/)
      if (event?.type === 'message') expect(typeof event.text).toBe('string')
    }),
    { numRuns: 3_000 },
  )
})

/** A copy in which the value at the `place`-th key, counted through the whole tree, is replaced. */
function withReplaced(source: unknown, place: number, value: unknown): unknown {
  let at = 0
  return JSON.parse(JSON.stringify(source), (key, old: unknown) => (key !== '' && at++ === place ? value : old))
}
