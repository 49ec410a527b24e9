import fc from 'fast-check'
import { expect, it } from 'vitest'
import { renderMarkdown, renderPlain } from '../../markdown/render.ts'
import { createBody, deliverBody, isOutTrackId, toOutTrackId, stateBody } from './cards.ts'
import { dingtalkDialect } from './dialect.ts'
import { toFileName, getFileType, isImage, robotCall, textMessage, webhookBody } from './encode.ts'
import { BODY_BYTES, dingtalkLimits } from './limits.ts'

const chat = { id: 'manager807', kind: 'direct' } as const
const group = { id: 'cidX==', kind: 'group' } as const
const part = { kind: 'text', deliveryId: 'a.1', chat, body: '**Hi**\n\nthere', plain: false } as const

it('writes Markdown with a title, and plain text without', () => {
  expect(webhookBody(part)).toEqual({ msgtype: 'markdown', markdown: { title: 'Hi', text: part.body } })
  expect(webhookBody({ ...part, plain: true })).toEqual({ msgtype: 'text', text: { content: part.body } })
  expect(textMessage({ ...part, plain: true })).toEqual({
    msgKey: 'sampleText',
    msgParam: JSON.stringify({ content: part.body }),
  })
})

it('addresses a person by their staff id and a group by its conversation', () => {
  const message = { msgKey: 'sampleText', msgParam: '{}' } as const
  expect(robotCall(chat, 'dingrobot', message)).toEqual({
    path: '/v1.0/robot/oToMessages/batchSend',
    body: { robotCode: 'dingrobot', userIds: ['manager807'], ...message },
  })
  expect(robotCall(group, 'dingrobot', message)).toEqual({
    path: '/v1.0/robot/groupMessages/send',
    body: { robotCode: 'dingrobot', openConversationId: 'cidX==', ...message },
  })
})

it('never needs more room than DingTalk takes', () => {
  const { max, unit } = dingtalkLimits.text
  const nasty = fc.constantFrom('"', '\\', '中', '😀', '\u2028', '\n\n', '*', '\u1fef', '\u0001')
  const source = fc.oneof(
    nasty.map((piece) => piece.repeat(5_000)),
    fc.array(nasty, { minLength: 2_000, maxLength: 5_000 }).map((pieces) => pieces.join('')),
  )
  fc.assert(
    fc.property(source, (text) => {
      const parts = renderMarkdown(text, { dialect: dingtalkDialect, max, unit })
      const plain = renderPlain(text, { max, unit })
      const all = [
        ...parts.map(({ body }) => ({ ...part, body })),
        ...plain.map(({ body }) => ({ ...part, body, plain: true })),
      ]
      for (const one of all) {
        const sizes = [webhookBody(one), robotCall(group, 'dingrobot', textMessage(one)).body].map((body) =>
          Buffer.byteLength(JSON.stringify(body)),
        )
        expect(Math.max(...sizes)).toBeLessThanOrEqual(BODY_BYTES)
      }
    }),
    { numRuns: 40 },
  )
})

it('keeps a card by the delivery that it shows', () => {
  const id = toOutTrackId('0199-turn.1')
  expect(toOutTrackId('0199-turn.1')).toBe(id)
  expect(toOutTrackId('0199-turn.2')).not.toBe(id)
  expect([isOutTrackId(id), isOutTrackId('webhook-0199-turn.1'), isOutTrackId('pqk')]).toEqual([true, false, false])
  expect(createBody(id)).toMatchObject({ outTrackId: id, callbackType: 'STREAM' })
})

it('delivers a card to a person or to a group', () => {
  expect(deliverBody('t', chat, 'dingrobot')).toMatchObject({
    openSpaceId: 'dtv1.card//IM_ROBOT.manager807',
    imRobotOpenDeliverModel: { spaceType: 'IM_ROBOT', robotCode: 'dingrobot' },
  })
  expect(deliverBody('t', group, 'dingrobot')).toMatchObject({
    openSpaceId: 'dtv1.card//IM_GROUP.cidX==',
    imGroupOpenDeliverModel: { robotCode: 'dingrobot' },
  })
})

it('lets a card spin only while more comes', () => {
  expect(stateBody('t', { ...part, live: true })).toMatchObject({ cardData: { cardParamMap: { flowStatus: '2' } } })
  const finished = stateBody('t', part)
  expect(finished).toMatchObject({ cardData: { cardParamMap: { flowStatus: '3', msgContent: part.body } } })
  expect(finished).toHaveProperty('cardUpdateOptions', { updateCardDataByKey: true })
})

it.each<[name: string, type: string | null]>([
  ['a.PDF', 'pdf'],
  ['b.docx', 'docx'],
  ['c.txt', null],
  ['d.tar.gz', null],
  ['pdf', null],
])('knows what is taken as it is: %s', (name, type) => {
  expect(getFileType(name)).toBe(type)
})

it('reads kinds and names of files', () => {
  expect(['image/png', 'IMAGE/JPEG; q=1', 'image/svg+xml', 'text/plain'].map(isImage)).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(toFileName('../a\r\nb.txt')).toBe('.. a  b.txt')
  expect(toFileName(' ')).toBe('file')
})
