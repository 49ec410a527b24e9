import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeFrame } from './decode.ts'

const NOW = 1_000_000
const callback = (body: object, cmd = 'aibot_msg_callback'): object => ({ cmd, headers: { req_id: 'R1' }, body })
const single = { msgid: 'M1', aibotid: 'aibX', chattype: 'single', from: { userid: 'zhang' } }
const group = { ...single, chattype: 'group', chatid: 'wrG' }
const text = (content: string): object => ({ msgtype: 'text', text: { content } })
const image = { msgtype: 'image', image: { url: 'https://h/i', aeskey: 'k' } }
const imageRef = { kind: 'image', ref: '{"url":"https://h/i","aesKey":"k"}' }

describe('messages', () => {
  it.each<[why: string, body: object, event: object]>([
    [
      'a text to the bot alone',
      { ...single, ...text('hello'), create_time: 900 },
      {
        key: 'M1',
        messageId: 'M1',
        chat: { id: 'zhang', kind: 'direct' },
        from: { id: 'zhang' },
        text: 'hello',
        sentAtMs: 900_000,
        addressed: true,
        media: [],
      },
    ],
    ['undated', { ...single, ...text('x') }, { sentAtMs: NOW }],
    ['dated in no calendar', { ...single, ...text('x'), create_time: Number.MAX_SAFE_INTEGER }, { sentAtMs: NOW }],
    ['in a group', { ...group, ...text('@Helper hello @all') }, { chat: { id: 'wrG', kind: 'group' } }],
    ['the mention taken off', { ...group, ...text('@Helper\u2005hello a@b.example') }, { text: 'hello a@b.example' }],
    ['nothing but a mention', { ...group, ...text('@Helper') }, { text: '@Helper' }],
    ['somebody else is mentioned too', { ...group, ...text('@Li ask @Helper') }, { text: '@Li ask @Helper' }],
    ['a mention in a direct chat stays', { ...single, ...text('@Li hi') }, { text: '@Li hi' }],
    ['a picture', { ...single, ...image }, { text: '', media: [imageRef] }],
    ['what was spoken', { ...single, msgtype: 'voice', voice: { content: 'said' } }, { text: 'said', media: [] }],
    ['a file', { ...single, msgtype: 'file', file: { url: 'https://h/f' } }, { media: [{ kind: 'file' }] }],
    ['a video', { ...single, msgtype: 'video', video: { url: 'https://h/v' } }, { media: [{ kind: 'video' }] }],
    [
      'a text with a picture',
      { ...group, msgtype: 'mixed', mixed: { msg_item: [text('@Helper what is'), image, text('this?')] } },
      { text: 'what is\nthis?', media: [imageRef] },
    ],
    ['a quote', { ...single, ...text('why?'), quote: text('it is so') }, { quoted: { text: 'it is so' } }],
    [
      'a quoted picture is looked at too',
      { ...single, ...text('what is it?'), quote: image },
      { quoted: { text: '[image]' }, media: [imageRef] },
    ],
  ])('%s', (_why, body, event) => {
    expect(decodeFrame(callback(body), NOW)).toMatchObject({ reqId: 'R1', event: { type: 'message', ...event } })
  })

  it('knows the name of the bot from an earlier mention', () => {
    const { toBotKey } = decodeFrame(callback({ ...group, ...text('@Helper hello') }), NOW)
    expect(toBotKey).toBe('Helper')
    const next = decodeFrame(callback({ ...group, ...text('@Helper ask @Li') }), NOW, (name) => name === toBotKey)
    expect(next).toMatchObject({ event: { text: 'ask @Li' } })
  })

  it.each([
    ['no id', { ...single, msgid: '', ...text('x') }, 'msgid'],
    ['nobody', { ...single, from: {}, ...text('x') }, 'from.userid'],
    ['a group without id', { ...group, chatid: 7, ...text('x') }, 'chatid'],
    ['an id that no database could index', { ...single, msgid: 'x'.repeat(3_000), ...text('x') }, 'msgid'],
    ['a person of a page', { ...single, from: { userid: 'x'.repeat(3_000) }, ...text('x') }, 'from.userid'],
    ['a group of a page', { ...group, chatid: 'x'.repeat(3_000), ...text('x') }, 'chatid'],
  ])('tells what is malformed: %s', (_why, body, malformed) => {
    expect(decodeFrame(callback(body), NOW)).toEqual({ malformed })
  })

  it.each([
    ['a kind that nobody knows', callback({ ...single, msgtype: 'location', location: {} })],
    ['an empty text', callback({ ...single, ...text(' ') })],
    ['another frame', callback({}, 'aibot_other')],
    [
      'feedback',
      callback({ ...single, msgtype: 'event', event: { eventtype: 'feedback_event' } }, 'aibot_event_callback'),
    ],
  ])('passes over %s', (_why, frame) => {
    expect(decodeFrame(frame, NOW)).toEqual({})
  })

  it('takes no more files than a person can send, and no address that is longer than one', () => {
    const far = { msgtype: 'image', image: { url: `https://h/${'i'.repeat(10_000)}` } }
    const msg_item = [text('look'), far, ...Array.from({ length: 5_000 }, () => image)]
    const { event } = decodeFrame(callback({ ...group, msgtype: 'mixed', mixed: { msg_item } }), NOW)
    expect(event).toMatchObject({ text: 'look' })
    const media = event?.type === 'message' ? event.media : []
    expect(media.length).toBe(98) // of the first hundred items: the text and the long address are none
  })

  it('never throws, whatever comes', () => {
    const body = fc.object({
      key: fc.constantFrom('msgid', 'from', 'userid', 'msgtype', 'text', 'mixed', 'msg_item', 'quote', 'event'),
    })
    fc.assert(
      fc.property(fc.anything(), body, (anything, fields) => {
        decodeFrame(anything, NOW)
        decodeFrame(callback({ ...single, msgtype: 'mixed', ...fields }), NOW)
      }),
    )
  })
})
