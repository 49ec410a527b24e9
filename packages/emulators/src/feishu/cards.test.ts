import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { type Bench, getData, type WireAnswer, getMessageId, openBench } from './testing-app.ts'
import type { FeishuEmulatorOptions } from './emulator.ts'

const CARD = {
  schema: '2.0',
  config: { streaming_mode: true, update_multi: true, summary: { content: '' } },
  body: { elements: [{ tag: 'markdown', element_id: 'answer', content: '' }, { tag: 'hr' }] },
}
const CARDS = '/cardkit/v1/cards'

/** A bench with a card that is shown in Ann's chat and streams. */
async function streaming(options: FeishuEmulatorOptions = {}) {
  const bench = await openBench(options)
  const data = getData(await bench.call('POST', CARDS, { type: 'card_json', data: JSON.stringify(CARD) }))
  const cardId = String(data['card_id'])
  const content = JSON.stringify({ type: 'card', data: { card_id: cardId } })
  const messageId = getMessageId(await send(bench, content))
  const stream = (sequence: unknown, words: string, more = {}): Promise<WireAnswer> =>
    bench.call('PUT', `${CARDS}/${cardId}/elements/answer/content`, { content: words, sequence, ...more })
  const finish = (sequence: number): Promise<WireAnswer> =>
    bench.call('PATCH', `${CARDS}/${cardId}/settings`, { settings: '{"config":{"streaming_mode":false}}', sequence })
  return { bench, cardId, messageId, stream, finish, [Symbol.asyncDispose]: () => bench.close() }
}
const send = (bench: Bench, content: string): Promise<WireAnswer> =>
  bench.call('POST', '/im/v1/messages?receive_id_type=open_id', {
    receive_id: 'ou_ann',
    msg_type: 'interactive',
    content,
  })

it('streams into the message that shows the card, until it is finished', async () => {
  await using chatStore = await streaming()
  const shown = () => chatStore.bench.control.sent()
  expect(await shown()).toMatchObject([{ unfinished: true }])
  getData(await chatStore.stream(1, 'Hel'))
  getData(await chatStore.stream(2, 'Hello'))
  expect(await shown()).toMatchObject([{ text: 'Hello\n---', unfinished: true, edits: 2 }])
  getData(await chatStore.finish(3))
  expect(await shown()).toMatchObject([{ messageId: chatStore.messageId, text: 'Hello\n---', unfinished: false }])
  expect((await chatStore.stream(4, 'more')).body).toMatchObject({ code: 300309 })
})

it('takes rising sequences alone, a uuid once, and leaves the text alone else', async () => {
  await using chatStore = await streaming()
  getData(await chatStore.stream(5, 'five', { uuid: 'u' }))
  for (const [sequence, more, code] of [
    [5, {}, 300317],
    [4, {}, 300317],
    [6, { uuid: 'u' }, 200770],
    [0, {}, 230001],
    ['7', {}, 230001],
  ] as const) {
    expect((await chatStore.stream(sequence, 'x', more)).body).toMatchObject({ code })
  }
  expect(await chatStore.bench.control.sent()).toMatchObject([{ text: 'five\n---' }])
  getData(await chatStore.stream(7, 'seven'))
})

it('ends the streaming by itself after ten minutes', async () => {
  const clock = manualClock()
  await using chatStore = await streaming({ clock })
  getData(await chatStore.stream(1, 'half'))
  await clock.advance(600_000)
  expect(await chatStore.bench.control.sent()).toMatchObject([{ text: 'half\n---', unfinished: false }])
  expect((await chatStore.stream(2, 'whole')).body).toMatchObject({ code: 200850 })
})

it('forgets a card after 14 days', async () => {
  const clock = manualClock()
  await using chatStore = await streaming({ clock })
  await clock.advance(14 * 86_400_000)
  expect((await chatStore.finish(1)).body).toMatchObject({ code: 200750 })
})

it('allows ten operations a second where the rate is limited', async () => {
  const clock = manualClock()
  await using chatStore = await streaming({ clock, rateLimits: true })
  for (let sequence = 1; sequence <= 10; sequence++) getData(await chatStore.stream(sequence, `text ${sequence}`))
  expect((await chatStore.stream(11, 'eleven')).body).toMatchObject({ code: 230020 })
  await clock.advance(1_000)
  getData(await chatStore.stream(11, 'eleven'))
})

it('replaces a whole card', async () => {
  await using chatStore = await streaming()
  const data = JSON.stringify({ schema: '2.0', body: { elements: [{ tag: 'markdown', content: 'new' }] } })
  getData(
    await chatStore.bench.call('PUT', `${CARDS}/${chatStore.cardId}`, {
      card: { type: 'card_json', data },
      sequence: 1,
    }),
  )
  expect(await chatStore.bench.control.sent()).toMatchObject([{ text: 'new', unfinished: false }])
})

it('turns a card message into a card entity, with the scope for it', async () => {
  await using bench = await openBench({ scopes: ['im:message', 'cardkit:card:write', 'cardkit:card:read'] })
  const { streaming_mode: _streaming, ...config } = CARD.config
  const messageId = getMessageId(await send(bench, JSON.stringify({ ...CARD, config })))
  const data = getData(await bench.call('POST', `${CARDS}/id_convert`, { message_id: messageId }))
  const path = `${CARDS}/${String(data['card_id'])}`
  getData(
    await bench.call('PATCH', `${path}/settings`, { settings: '{"config":{"streaming_mode":true}}', sequence: 1 }),
  )
  getData(await bench.call('PUT', `${path}/elements/answer/content`, { content: 'streamed', sequence: 2 }))
  expect(await bench.control.sent()).toMatchObject([{ messageId, text: 'streamed\n---', unfinished: true }])
  await bench.control.injectFault({ kind: 'scope', scope: 'cardkit:card:read', granted: false })
  expect((await bench.call('POST', `${CARDS}/id_convert`, { message_id: messageId })).body).toMatchObject({
    code: 99991672,
  })
})

const refused: readonly [
  why: string,
  verb: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
  code: number,
][] = [
  ['an unknown card', 'PATCH', `${CARDS}/1/settings`, { settings: '{}', sequence: 1 }, 200740],
  ['a card that is no JSON', 'POST', CARDS, { type: 'card_json', data: '{' }, 200220],
  ['a card of the old schema', 'POST', CARDS, { type: 'card_json', data: '{"elements":[{"tag":"hr"}]}' }, 200220],
  [
    'a card of 30 KB',
    'POST',
    CARDS,
    { type: 'card_json', data: JSON.stringify({ ...CARD, pad: 'x'.repeat(30_720) }) },
    200860,
  ],
]
it.each(refused)('refuses %s', async (_why, verb, path, body, code) => {
  await using bench = await openBench()
  expect(await bench.call(verb, path, body)).toMatchObject({ status: 400, body: { code } })
})

it('refuses an unknown element, and a card that is not there in a message', async () => {
  await using chatStore = await streaming()
  const other = await chatStore.bench.call('PUT', `${CARDS}/${chatStore.cardId}/elements/other/content`, {
    content: 'x',
    sequence: 1,
  })
  expect(other.body).toMatchObject({ code: 300313 })
  expect((await send(chatStore.bench, '{"type":"card","data":{"card_id":"1"}}')).body).toMatchObject({ code: 230099 })
})
