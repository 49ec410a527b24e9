import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { type Bench, getData, getMessageId, openBench } from './testing-app.ts'

type Json = Readonly<Record<string, unknown>>

const TO_ANN = '/im/v1/messages?receive_id_type=open_id'
const text = (words: string): Json => ({
  receive_id: 'ou_ann',
  msg_type: 'text',
  content: JSON.stringify({ text: words }),
})
const findShown = async (bench: Bench): Promise<readonly string[]> =>
  (await bench.control.sent()).map((one) => one.text)
const card = (content: string, more: Json = {}): string =>
  JSON.stringify({
    schema: '2.0',
    config: { update_multi: true, ...more },
    body: { elements: [{ tag: 'markdown', content }] },
  })

it('shows what was sent, as it was sent', async () => {
  await using bench = await openBench()
  const post = {
    zh_cn: {
      title: 'T',
      content: [
        [{ tag: 'md', text: '**a**' }],
        [
          { tag: 'text', text: 'b' },
          { tag: 'a', text: 'c', href: 'https://example.org' },
        ],
      ],
    },
  }
  for (const [msg_type, content] of [
    ['text', '{"text":"plain"}'],
    ['post', JSON.stringify(post)],
    ['interactive', card('# card')],
  ]) {
    getMessageId(await bench.call('POST', TO_ANN, { receive_id: 'ou_ann', msg_type, content }))
  }
  expect(await findShown(bench)).toEqual(['plain', 'T\n**a**\nb[c](https://example.org)', '# card'])
  expect(await bench.control.conversation({ chatId: 'ou_ann' })).toHaveLength(3)
})

it('replies in the chat of the message, and in its thread', async () => {
  await using bench = await openBench()
  const said = await bench.control.say({ from: { id: 'ann' }, group: { id: 'team' }, text: 'hi', mention: true })
  const body = { msg_type: 'text', content: '{"text":"yes"}', reply_in_thread: true }
  const first = getData(await bench.call('POST', `/im/v1/messages/${said.messageId}/reply`, body))
  expect(first).toMatchObject({ chat_id: said.chatId, parent_id: said.messageId, root_id: said.messageId })
  const second = await bench.call('POST', `/im/v1/messages/${String(first['message_id'])}/reply`, {
    ...body,
    reply_in_thread: false,
  })
  expect(getData(second)).toMatchObject({ root_id: said.messageId, thread_id: first['thread_id'] })
  expect(await bench.control.sent()).toMatchObject([{ replyTo: said.messageId }, { replyTo: first['message_id'] }])
})

it('shows a message once for one uuid within an hour', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const send = () => bench.send('ou_ann', 'once', { uuid: 'u-1' })
  const first = await send()
  await clock.advance(3_599_000)
  expect(await send()).toBe(first)
  expect(await findShown(bench)).toEqual(['once'])
  await clock.advance(1_000)
  expect(await send()).not.toBe(first)
  expect((await bench.call('POST', TO_ANN, { ...text('x'), uuid: 'u'.repeat(51) })).body).toMatchObject({
    code: 230001,
  })
})

it('lets a text be edited 20 times, by its sender', async () => {
  await using bench = await openBench()
  const id = await bench.send('ou_ann', 'v0')
  const edit = (version: number) =>
    bench.call('PUT', `/im/v1/messages/${id}`, { msg_type: 'text', content: JSON.stringify({ text: `v${version}` }) })
  for (let version = 1; version <= 20; version++) getData(await edit(version))
  expect(await edit(21)).toMatchObject({ status: 400, body: { code: 230072 } })
  expect(await bench.control.sent()).toMatchObject([{ text: 'v20', edits: 20 }])
  const said = await bench.control.say({ from: { id: 'ann' }, text: 'mine' })
  const others = await bench.call('PUT', `/im/v1/messages/${said.messageId}`, {
    msg_type: 'text',
    content: '{"text":"x"}',
  })
  expect(others.body).toMatchObject({ code: 230071 })
})

it('updates a card for 14 days, when it is shared before and after', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const send = (content: string) =>
    bench.call('POST', TO_ANN, { receive_id: 'ou_ann', msg_type: 'interactive', content })
  const id = getMessageId(await send(card('one')))
  const own = getMessageId(await send(card('own', { update_multi: false })))
  const patch = async (message: string, content: string) =>
    (await bench.call('PATCH', `/im/v1/messages/${message}`, { content })).body
  expect(await patch(id, card('two'))).toMatchObject({ code: 0 })
  expect(await patch(id, card('three', { update_multi: false }))).toMatchObject({ code: 230099 })
  expect(await patch(own, card('x'))).toMatchObject({ code: 230099 })
  await clock.advance(14 * 86_400_000 + 1)
  expect(await patch(id, card('late'))).toMatchObject({ code: 230031 })
  expect(await findShown(bench)).toEqual(['two', 'own'])
})

it('takes a message back', async () => {
  await using bench = await openBench()
  const id = await bench.send('ou_ann', 'oops')
  getData(await bench.call('DELETE', `/im/v1/messages/${id}`))
  expect(await bench.control.conversation({ chatId: 'ou_ann' })).toEqual([])
  expect(getData(await bench.call('GET', `/im/v1/messages/${id}`))).toMatchObject({ items: [{ deleted: true }] })
  expect((await bench.call('POST', `/im/v1/messages/${id}/reply`, text('x'))).body).toMatchObject({ code: 230011 })
})

it('shows a sign of typing while the reaction stands', async () => {
  await using bench = await openBench()
  const said = await bench.control.say({ from: { id: 'ann' }, text: 'hello' })
  const path = `/im/v1/messages/${said.messageId}/reactions`
  const { reaction_id } = getData(await bench.call('POST', path, { reaction_type: { emoji_type: 'Typing' } }))
  expect(await bench.control.typing()).toMatchObject([{ chatId: said.chatId }])
  getData(await bench.call('DELETE', `${path}/${String(reaction_id)}`))
  expect(await bench.control.typing()).toEqual([])
  expect((await bench.call('DELETE', `${path}/${String(reaction_id)}`)).body).toMatchObject({ code: 231011 })
})

const lengths: readonly [type: string, content: (size: number) => string, most: number][] = [
  ['text', (size) => JSON.stringify({ text: 'ä'.repeat(size / 2) }), 150 * 1024],
  ['post', (size) => JSON.stringify({ zh_cn: { content: [[{ tag: 'md', text: 'ä'.repeat(size / 2) }]] } }), 30 * 1024],
  ['interactive', (size) => card('ä'.repeat(size / 2)), 30 * 1024],
]
it.each(lengths)('counts the whole request in bytes: %s', async (msg_type, content, most) => {
  await using bench = await openBench()
  const body = (size: number): Json => ({ receive_id: 'ou_ann', msg_type, content: content(size) })
  const room = most - Buffer.byteLength(JSON.stringify(body(0)))
  const even = room - (room % 2)
  getMessageId(await bench.call('POST', TO_ANN, body(even)))
  expect(await bench.call('POST', TO_ANN, body(even + 2))).toMatchObject({ status: 400, body: { code: 230025 } })
})

const refused: readonly [why: string, path: string, body: Json, code: number][] = [
  ['an unknown chat', '/im/v1/messages?receive_id_type=chat_id', { ...text('x'), receive_id: 'oc_none' }, 230002],
  ['a kind of id that there is not', '/im/v1/messages?receive_id_type=nick', text('x'), 230001],
  ['an id of another form', TO_ANN, { ...text('x'), receive_id: 'ann' }, 230001],
  ['content that is no JSON text', TO_ANN, { ...text('x'), content: { text: 'x' } }, 230001],
  ['a text without text', TO_ANN, { ...text('x'), content: '{}' }, 230001],
  ['an unknown type', TO_ANN, { ...text('x'), msg_type: 'rich' }, 230001],
  ['a post without lines', TO_ANN, { ...text('x'), msg_type: 'post', content: '{"zh_cn":{"content":["x"]}}' }, 230001],
  [
    'a picture that was never uploaded',
    TO_ANN,
    { ...text('x'), msg_type: 'image', content: '{"image_key":"x"}' },
    230001,
  ],
  ['an empty card', TO_ANN, { ...text('x'), msg_type: 'interactive', content: '{}' }, 230099],
  ['a reply to nothing', '/im/v1/messages/om_none/reply', text('x'), 231003],
]
it.each(refused)('refuses %s', async (_why, path, body, code) => {
  await using bench = await openBench()
  expect(await bench.call('POST', path, body)).toMatchObject({
    status: 400,
    body: { code, msg: expect.stringMatching(/\S/) },
  })
  expect(await bench.control.sent()).toEqual([])
})

it('limits the rate where it is told to', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, rateLimits: true })
  for (let sent = 0; sent < 5; sent++) await bench.send('ou_ann', String(sent))
  expect(await bench.call('POST', TO_ANN, text('six'))).toMatchObject({ status: 400, body: { code: 230020 } })
  await bench.send('ou_milo', 'another chat')
  await clock.advance(1_001)
  await bench.send('ou_ann', 'six')
  for (let asked = 0; asked < 50; asked++) getData({ ...(await bench.call('GET', '/event/v1/connection')) })
  const answer = await bench.call('GET', '/event/v1/connection')
  expect(answer).toMatchObject({ status: 429, body: { code: 99991400 } })
  expect(answer.headers.get('x-ogw-ratelimit-reset')).toBe('1')
})
