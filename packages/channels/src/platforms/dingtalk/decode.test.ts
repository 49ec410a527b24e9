import { describe, expect, it } from 'vitest'
import { decodeMessage, readMediaRef } from './decode.ts'

const NOW = 1_763_700_000_000
/** As the platform's documentation shows it; ids are made up. */
const BASE = {
  msgId: 'msgAbC==',
  msgtype: 'text',
  text: { content: ' hello' },
  createAt: 1_763_600_000_000,
  conversationType: '1',
  conversationId: 'cidX==',
  chatbotUserId: '$:LWCP_v1:$bot',
  senderId: '$:LWCP_v1:$u',
  senderStaffId: 'manager807',
  senderNick: 'Ann',
  sessionWebhook: 'https://oapi.dingtalk.com/robot/sendBySession?session=made-up',
  sessionWebhookExpiredTime: 1_763_605_400_000,
  robotCode: 'dingrobot',
}
const decode = (change: Readonly<Record<string, unknown>>) =>
  decodeMessage(JSON.stringify({ ...BASE, ...change }), 'dingclient', NOW)
const group = { conversationType: '2', conversationTitle: 'Team' }

describe('a message', () => {
  it('of a person of the organisation', () => {
    expect(decode({})).toEqual({
      event: {
        type: 'message',
        key: 'dingrobot:msgAbC==',
        messageId: 'msgAbC==',
        chat: { id: 'manager807', kind: 'direct' },
        from: { id: 'manager807', name: 'Ann' },
        text: 'hello',
        sentAtMs: 1_763_600_000_000,
        addressed: true,
        media: [],
      },
      chat: {
        id: 'manager807',
        conversationId: 'cidX==',
        robotCode: 'dingrobot',
        external: false,
        webhook: BASE.sessionWebhook,
        webhookUntilMs: BASE.sessionWebhookExpiredTime,
      },
    })
  })

  it('of a person outside of it', () => {
    const { event, chat } = decode({ senderStaffId: '' })
    expect(event).toMatchObject({ chat: { id: '$:LWCP_v1:$u' }, from: { id: '$:LWCP_v1:$u' } })
    expect(chat).toMatchObject({ id: '$:LWCP_v1:$u', external: true })
  })

  it.each<[why: string, change: Readonly<Record<string, unknown>>, addressed: boolean]>([
    ['mentioned', { isInAtList: true }, true],
    ['not mentioned', { isInAtList: false }, false],
    ['mentioned, by the list alone', { isInAtList: false, atUsers: [{ dingtalkId: '$:LWCP_v1:$bot' }] }, true],
    ['not told: groups hand over nothing else', {}, true],
  ])('in a group: %s', (_why, change, addressed) => {
    expect(decode({ ...group, ...change }).event).toMatchObject({
      chat: { id: 'cidX==', kind: 'group', title: 'Team' },
      from: { id: 'manager807' },
      addressed,
    })
  })

  it('of the bot itself is none', () => {
    expect(decode({ senderId: BASE.chatbotUserId })).toEqual({})
  })

  it.each<[why: string, change: Readonly<Record<string, unknown>>]>([
    ['an id', { msgId: 7 }],
    ['a conversation', { conversationId: '' }],
    ['a sender', { senderId: null, senderStaffId: null }],
  ])('without %s is dropped', (_why, change) => {
    expect(decode(change)).toEqual({ malformed: expect.any(String) })
  })

  it('that is no JSON is dropped', () => {
    expect(decodeMessage('[', 'dingclient', NOW)).toEqual({ malformed: expect.any(String) })
  })

  it('takes what is missing from what is known', () => {
    const { event, chat } = decode({ robotCode: '', createAt: 'soon', sessionWebhook: 5 })
    expect(event).toMatchObject({ key: 'dingclient:msgAbC==', sentAtMs: NOW })
    expect(chat).toMatchObject({ robotCode: 'dingclient', webhook: null })
  })
})

const file = (kind: string, code: string, name?: string) => ({
  kind,
  ref: `dingrobot ${code}`,
  ...(name === undefined ? {} : { name }),
})

describe('a message that is no plain text', () => {
  it.each<[msgtype: string, content: unknown, text: string, media: readonly unknown[]]>([
    ['picture', { downloadCode: 'c', pictureDownloadCode: 'p' }, '', [file('image', 'c')]],
    ['picture', JSON.stringify({ pictureDownloadCode: 'p' }), '', [file('image', 'p')]],
    ['audio', { downloadCode: 'c', duration: 900, recognition: ' said ' }, 'said', [file('voice', 'c')]],
    ['video', { downloadCode: 'c', videoType: 'mp4' }, '', [file('video', 'c', 'video.mp4')]],
    ['video', { downloadCode: 'c', videoType: '../x' }, '', [file('video', 'c')]],
    ['file', { downloadCode: 'c', fileName: 'a.pdf' }, '', [file('file', 'c', 'a.pdf')]],
    [
      'richText',
      { richText: [{ text: 'look ' }, { downloadCode: 'c', type: 'picture' }, 5, { text: 'here' }] },
      'look here',
      [file('image', 'c')],
    ],
    ['markdown', { title: 'T', text: 'written' }, 'written', []],
    ['interactiveCard', {}, '[card]', []],
    ['chatRecord', { summary: 'x' }, '[chat record]', []],
    ['hologram', 'x', '[unsupported message]', []],
  ])('%s %j', (msgtype, content, text, media) => {
    expect(decode({ msgtype, content, text: undefined }).event).toMatchObject({ text, media })
  })
})

describe('a quote', () => {
  const quote = (repliedMsg: unknown) => ({ text: { content: 'and?', isReplyMsg: true, repliedMsg } })
  it.each<[why: string, change: Readonly<Record<string, unknown>>, text: string, media: readonly unknown[]]>([
    ['of text', quote({ msgId: 'm1', msgType: 'text', content: { text: 'before' } }), 'before', []],
    ['of text, as JSON text', quote({ msgId: 'm1', msgType: 'text', content: '{"text":"before"}' }), 'before', []],
    ['that nests', quote({ msgId: 'm1', msgType: 'text', content: { content: '{"text":"deep"}' } }), 'deep', []],
    ['of words alone', quote({ msgId: 'm1', content: 'before' }), 'before', []],
    [
      'of a picture',
      quote({ msgId: 'm1', msgType: 'picture', content: { downloadCode: 'q' } }),
      '[picture]',
      [file('image', 'q')],
    ],
    [
      'of a picture among words',
      quote({ msgId: 'm1', msgType: 'richText', content: { richText: [{ text: 'see' }, { downloadCode: 'q' }] } }),
      'see',
      [file('image', 'q')],
    ],
    [
      'beside the text',
      { text: { content: 'and?' }, content: { repliedMsg: { msgId: 'm1', msgType: 'text', content: { text: 'x' } } } },
      'x',
      [],
    ],
    ['of nothing that can be read', quote({ msgId: 'm1', msgType: 'interactiveCard' }), '[card]', []],
  ])('%s', (_why, change, text, media) => {
    expect(decode(change).event).toMatchObject({ text: 'and?', quoted: { messageId: 'm1', text }, media })
  })

  it('that nests without end is cut off', () => {
    let content = '{"text":"deep"}'
    for (let i = 0; i < 8; i++) content = JSON.stringify({ content })
    expect(decode(quote({ msgType: 'text', content })).event?.quoted).toEqual({
      text: '[unsupported message]',
    })
  })
})

it.each(['msgId', 'conversationId', 'senderId'])('drops a message whose %s no database could index', (field) => {
  const { event, malformed } = decode({ senderStaffId: '', [field]: 'x'.repeat(100_000) })
  expect(event).toBeUndefined()
  expect(malformed).toContain(field)
})

it.each([1e300, -1, '8640000000000001', 'soon', null])('takes the present for a time that is none: %j', (createAt) => {
  expect(decode({ createAt }).event?.sentAtMs).toBe(NOW)
})

it('finds the robot that a file was sent to', () => {
  const media = (ref: string) => readMediaRef({ kind: 'file', ref }, 'dingclient')
  expect(media('dingrobot a b')).toEqual({ robotCode: 'dingrobot', code: 'a b' })
  expect(media('code')).toEqual({ robotCode: 'dingclient', code: 'code' })
})
