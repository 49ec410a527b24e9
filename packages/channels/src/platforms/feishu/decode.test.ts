import { expect, it } from 'vitest'
import {
  forwardedText,
  toInboundMessage,
  isByPerson,
  readEvent,
  readItem,
  readMembership,
  type RawMessage,
} from './decode.ts'

const BOT = 'ou_bot'
const content = (value: object): string => JSON.stringify(value)

const event = (message: object = {}, sender: object = {}): unknown => ({
  event_id: 'e-1',
  sender: { sender_id: { open_id: 'ou_a', union_id: 'on_a', user_id: null }, sender_type: 'user', ...sender },
  message: {
    message_id: 'om_1',
    create_time: '1763700000000',
    chat_id: 'oc_p',
    chat_type: 'p2p',
    message_type: 'text',
    content: content({ text: 'hello' }),
    ...message,
  },
})

const decode = (value: unknown): unknown => {
  const raw = readEvent(value)
  return raw && toInboundMessage(raw, BOT, { parent: null, forwarded: null })
}

const mention = (key: string, openId: string, name: string): object => ({ key, id: { open_id: openId }, name })

const texts: readonly [why: string, message: object, expected: object | null][] = [
  ['text', {}, { key: 'm:om_1', text: 'hello', sentAtMs: 1_763_700_000_000, addressed: true, from: { id: 'ou_a' } }],
  [
    'a mention of the bot is left out, others are named',
    {
      chat_type: 'group',
      content: content({ text: '@_user_1 ask @_user_2 and @_all' }),
      mentions: [mention('@_user_1', BOT, 'Bot'), mention('@_user_2', 'ou_b', 'Bea')],
    },
    { text: 'ask @Bea and @all', addressed: true, chat: { id: 'oc_p', kind: 'group' } },
  ],
  [
    'everyone is not the bot',
    { chat_type: 'group', content: content({ text: '@_all hear' }) },
    { text: '@all hear', addressed: false },
  ],
  [
    'ten people are told apart',
    {
      content: content({ text: '@_user_1 @_user_10' }),
      mentions: [mention('@_user_1', 'ou_b', 'Bea'), mention('@_user_10', 'ou_c', 'Cy')],
    },
    { text: '@Bea @Cy' },
  ],
  [
    'a post',
    {
      message_type: 'post',
      content: content({
        title: 'Plan',
        content: [
          [
            { tag: 'text', text: 'see ' },
            { tag: 'a', text: 'this', href: 'https://a.b' },
            { tag: 'emotion', emoji_type: 'OK' },
          ],
          [{ tag: 'img', image_key: 'img_1' }],
          [{ tag: 'media', file_key: 'file_1' }],
          [{ tag: 'code_block', language: 'GO', text: 'x := 1\n' }, { tag: 'hr' }, { tag: 'md', text: '**b**' }],
        ],
      }),
    },
    {
      text: 'Plan\nsee [this](https://a.b)[OK]\n\n\n```go\nx := 1\n```---**b**',
      media: [
        { kind: 'image', ref: 'om_1/image/img_1' },
        { kind: 'video', ref: 'om_1/file/file_1' },
      ],
    },
  ],
  [
    'a picture',
    { message_type: 'image', content: content({ image_key: 'img_1' }) },
    { text: '', media: [{ kind: 'image', ref: 'om_1/image/img_1' }] },
  ],
  [
    'a file',
    { message_type: 'file', content: content({ file_key: 'file_1', file_name: 'a.pdf' }) },
    { media: [{ kind: 'file', ref: 'om_1/file/file_1', name: 'a.pdf' }] },
  ],
  [
    'speech',
    { message_type: 'audio', content: content({ file_key: 'f', duration: 2_000 }) },
    { media: [{ kind: 'voice', ref: 'om_1/file/f', mime: 'audio/ogg' }] },
  ],
  [
    'a video',
    { message_type: 'media', content: content({ file_key: 'f', file_name: 'v.mp4' }) },
    { media: [{ kind: 'video', ref: 'om_1/file/f', name: 'v.mp4' }] },
  ],
  [
    'a sticker, which cannot be had',
    { message_type: 'sticker', content: content({ file_key: 'f' }) },
    { text: '[sticker]', media: [] },
  ],
  ['a group', { message_type: 'share_chat', content: content({ chat_id: 'oc_x' }) }, { text: '[shared a group]' }],
  ['a type nobody told us of', { message_type: 'hologram', content: content({}) }, { text: '[hologram]' }],
  ['a topic', { thread_id: 'omt_1' }, { chat: { id: 'oc_p', kind: 'direct', threadId: 'omt_1' } }],
  ['words of the system', { message_type: 'system', content: content({ template: 'x' }) }, null],
  ['content that is none', { content: '{' }, null],
  ['no id', { message_id: '' }, null],
  ['no time', { create_time: 'soon' }, null],
]
it.each(texts)('reads %s', (_why, message, expected) => {
  if (expected === null) expect(decode(event(message))).toBeNull()
  else expect(decode(event(message))).toMatchObject(expected)
})

it.each([undefined, null, 1, 'x', [], {}, { message: null }, { message: [], sender: 3 }, { message: { content: 1 } }])(
  'takes %j for nothing',
  (value) => {
    expect(decode(value)).toBeNull()
  },
)

it('answers nobody but people', () => {
  const by = (type: string): boolean => isByPerson(readEvent(event({}, { sender_type: type })) as RawMessage) // it is one
  expect([by('user'), by('app'), by('anonymous'), by('')]).toEqual([true, false, false, false])
})

it('takes an answer to its own message for addressed, and carries the quote', () => {
  const raw = readEvent(event({ chat_type: 'group', parent_id: 'om_0' })) as RawMessage // it is one
  const inbound = toInboundMessage(raw, BOT, { parent: { text: 'earlier', own: true }, forwarded: null })
  expect(inbound).toMatchObject({ addressed: true, quoted: { messageId: 'om_0', text: 'earlier' } })
  expect(toInboundMessage(raw, BOT, { parent: { text: 'x', own: false }, forwarded: null })).toMatchObject({
    addressed: false,
  })
})

it('reads the same message out of the history', () => {
  const item = {
    message_id: 'om_1',
    msg_type: 'text',
    create_time: '1763700000000',
    chat_id: 'oc_p',
    sender: { id: 'ou_a', id_type: 'open_id', sender_type: 'user' },
    body: { content: content({ text: '@_user_1 hi' }) },
    mentions: [{ key: '@_user_1', id: BOT, id_type: 'open_id', name: 'Bot' }],
  }
  const raw = readItem(item) as RawMessage // it is one
  expect(
    toInboundMessage(raw, BOT, { parent: null, forwarded: null, known: { id: 'oc_p', kind: 'group' } }),
  ).toMatchObject({
    key: 'm:om_1',
    text: 'hi',
    addressed: true,
    chat: { kind: 'group' },
    from: { id: 'ou_a' },
  })
  expect(isByPerson(readItem({ ...item, deleted: true }) as RawMessage)).toBe(false) // it is one
})

it('tells what is merged into a forward', () => {
  const raw = readEvent(event({ message_type: 'merge_forward', content: 'Merged and Forwarded Message' })) as RawMessage // it is one
  const inside = [
    event({ content: content({ text: 'one\ntwo' }) }),
    event({ message_type: 'image', content: content({ image_key: 'k' }) }),
  ]
  const forwarded = forwardedText(inside.map((one) => readEvent(one) as RawMessage)) // they are
  expect(toInboundMessage(raw, BOT, { parent: null, forwarded })?.text).toBe(
    '[forwarded messages]\n> one\n> two\n> [image]',
  )
  expect(toInboundMessage(raw, BOT, { parent: null, forwarded: null })?.text).toBe('[forwarded messages]')
})

it('tells that the bot was taken out of a group', () => {
  expect(readMembership({ event_id: 'e-9', chat_id: 'oc_g', name: 'Team' }, true)).toMatchObject({
    type: 'reachability',
    key: 'r:e-9',
    person: { id: 'oc_g', name: 'Team' },
    unreachable: expect.any(String) as unknown,
  })
  expect(readMembership({}, true)).toBeNull()
})
