import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { InboundMessage } from '../../message.ts'
import { decodeMessage, readPlace, type Decoded } from './decode.ts'
import { parseJson } from '../wire/json.ts'

const NOW_MS = 1_763_700_009_000
const around = {
  botId: 'b1@im.bot',
  nowMs: NOW_MS,
  recent: (person: string, id: string) => (person === 'abc@im.wechat' && id === '7' ? 'said before' : undefined),
}

/** As the wire brings it: ids as bare numbers beyond 2^53. */
const wire = (fields: string): Decoded =>
  decodeMessage(
    parseJson(
      `{"seq":12,"message_id":7301234567890123456,"from_user_id":"abc@im.wechat","to_user_id":"b1@im.bot","client_id":"c","create_time_ms":1763700000000,"session_id":"s","group_id":"","message_type":1,"message_state":2,"context_token":"CT",${fields}}`,
    ),
    around,
  )
const items = (...list: readonly string[]): Decoded => wire(`"item_list":[${list.join(',')}]`)
const text = (words: string): string => `{"type":1,"text_item":{"text":"${words}"}}`
const createMessage = (decoded: Decoded): InboundMessage => {
  if (decoded.event === undefined) throw new Error('no message')
  return decoded.event
}

it('reads a message with its exact id', () => {
  expect(items(text('hello'))).toEqual({
    context: { person: 'abc@im.wechat', messageId: '7301234567890123456', token: 'CT', sentAtMs: 1_763_700_000_000 },
    event: {
      type: 'message',
      key: 'm:abc@im.wechat:7301234567890123456',
      messageId: '7301234567890123456',
      chat: { id: 'abc@im.wechat', kind: 'direct' },
      from: { id: 'abc@im.wechat' },
      text: 'hello',
      sentAtMs: 1_763_700_000_000,
      addressed: true,
      media: [],
    },
  })
})

it.each([
  ['several texts', [text('one'), text('two')], 'one\ntwo'],
  ['a transcript', ['{"type":3,"voice_item":{"media":{"full_url":"https://c/x"},"text":"spoken"}}'], 'spoken'],
  ['steps of tools', ['{"type":11}', text('done'), '{"type":12}'], 'done'],
  ['something new', ['{"type":99}'], '[unsupported content]'],
  ['a picture without a place', ['{"type":2,"image_item":{}}'], '[Image: unavailable]'],
] as const)('reads the text of %s', (_what, list, expected) => {
  expect(createMessage(items(...list))).toMatchObject({ text: expected, media: [] })
})

it.each([
  [
    'a picture',
    '{"type":2,"image_item":{"aeskey":"00112233445566778899aabbccddeeff","media":{"encrypt_query_param":"p","aes_key":""}}}',
    { kind: 'image' },
    { param: 'p', hexKey: '00112233445566778899aabbccddeeff' },
  ],
  [
    'a voice message without a transcript',
    '{"type":3,"voice_item":{"encode_type":6,"text":"","media":{"encrypt_query_param":"p","aes_key":"k"}}}',
    { kind: 'voice', mime: 'audio/silk', name: 'voice.silk' },
    { param: 'p', base64Key: 'k' },
  ],
  [
    'a file',
    '{"type":4,"file_item":{"file_name":"a.pdf","len":"123","media":{"full_url":"https://c/x"}}}',
    { kind: 'file', name: 'a.pdf', sizeBytes: 123 },
    { url: 'https://c/x' },
  ],
  [
    'a video',
    '{"type":5,"video_item":{"video_size":9,"media":{"full_url":"https://c/x"}}}',
    { kind: 'video', mime: 'video/mp4', sizeBytes: 9 },
    { url: 'https://c/x' },
  ],
] as const)('reads %s', (_what, item, media, place) => {
  const message = createMessage(items(item))
  expect(message).toMatchObject({ text: '', media: [media], settleMs: 1_000 })
  expect(readPlace(message.media[0]?.ref ?? '')).toEqual(place)
})

describe('a quote', () => {
  const quote = (ref: string): Decoded => items(`{"type":1,"text_item":{"text":"yes"},"ref_msg":${ref}}`)
  it.each([
    ['brings its text', `{"message_item":${text('old')},"svr_id":9}`, { messageId: '9', text: 'old' }],
    ['names a recent message', '{"svr_id":7}', { messageId: '7', text: 'said before' }],
    ['names one by a text', '{"svr_id":"7"}', { messageId: '7', text: 'said before' }],
    ['names one that is forgotten', '{"svr_id":18446744073709551615}', { messageId: '18446744073709551615', text: '' }],
    ['has a title only', '{"title":"Title"}', { text: 'Title' }],
    [
      'is of a picture',
      '{"message_item":{"type":2,"image_item":{"media":{"full_url":"https://c/x"}}}}',
      { text: '[image]' },
    ],
  ])('%s', (_what, ref, quoted) => {
    expect(createMessage(quote(ref)).quoted).toEqual(quoted)
  })
  it('is none when it says nothing', () => {
    expect(createMessage(quote('{"svr_id":0}'))).not.toHaveProperty('quoted')
  })
})

it.each([
  ['of a bot', '"message_type":2'],
  ['that is still being written', '"message_state":1'],
  ['of a group', '"group_id":"g"'],
  ['of ourselves', '"from_user_id":"b1@im.bot"'],
  ['of another bot', '"from_user_id":"b2@im.bot"'],
])('leaves out a message %s', (_what, field) => {
  expect(wire(`"item_list":[${text('x')}],${field}`)).toEqual({})
})

it.each([
  ['from_user_id', '"from_user_id":""'],
  ['message_id', '"message_id":0,"client_id":""'],
])('calls a message malformed by its %s', (malformed, fields) => {
  expect(wire(`"item_list":[${text('x')}],${fields}`)).toEqual({ malformed })
})

it('takes the time of arrival and the client id where the server gives none', () => {
  expect(createMessage(wire(`"item_list":[${text('x')}],"create_time_ms":0,"message_id":0`))).toMatchObject({
    sentAtMs: NOW_MS,
    messageId: 'c',
  })
})

it('keeps a context token that comes with nothing to show', () => {
  expect(items('{"type":11}')).toEqual({
    context: { person: 'abc@im.wechat', messageId: '7301234567890123456', token: 'CT', sentAtMs: 1_763_700_000_000 },
  })
})

it('throws for nothing that can be sent to it', () => {
  const hostile = fc.letrec((tie) => ({
    item: fc.record(
      {
        type: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.jsonValue()),
        text_item: fc.jsonValue(),
        image_item: fc.jsonValue(),
        file_item: fc.record({ media: fc.jsonValue(), len: fc.jsonValue(), file_name: fc.jsonValue() }),
        ref_msg: fc.oneof(fc.jsonValue(), fc.record({ message_item: tie('item'), svr_id: fc.jsonValue() })),
      },
      { requiredKeys: [] },
    ),
  })).item
  const message = fc.record({
    message_id: fc.jsonValue(),
    from_user_id: fc.constantFrom<unknown>('a', 7, null),
    create_time_ms: fc.jsonValue(),
    item_list: fc.oneof(fc.jsonValue(), fc.array(hostile)),
  })
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), message), (value) => {
      const { event } = decodeMessage(value, around)
      if (event !== undefined) expect(event.text !== '' || event.media.length > 0).toBe(true)
    }),
  )
})
