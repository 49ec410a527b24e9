import { expect, it } from 'vitest'
import { isRecord } from '../kit/http.ts'
import { manualClock } from '../kit/testing-clock.ts'
import { type Bench, getData, openBench } from './testing-app.ts'

const ANN = { id: 'ann', name: 'Ann' }
const START = 1_763_700_000

async function history(
  bench: Bench,
  query: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const asked = new URLSearchParams({ container_id_type: 'chat', ...query }).toString()
  return getData(await bench.call('GET', `/im/v1/messages?${asked}`))
}
const listContents = ({ items }: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(items)
    ? items.map((item: unknown) => (isRecord(item) && isRecord(item['body']) ? item['body']['content'] : item))
    : []

it('tells both sides of a private chat, between two times, page by page', async () => {
  const clock = manualClock(START * 1_000)
  await using bench = await openBench({ clock })
  const { chatId } = await bench.control.say({ from: ANN, text: 'at 0' })
  await clock.advance(10_000)
  await bench.send('ou_ann', 'at 10')
  await clock.advance(10_000)
  await bench.control.say({ from: ANN, text: 'at 20' })
  expect(listContents(await history(bench, { container_id: chatId }))).toEqual(
    ['at 0', 'at 10', 'at 20'].map((text) => JSON.stringify({ text })),
  )
  const between = { container_id: chatId, start_time: String(START + 10), end_time: String(START + 20) }
  const first = await history(bench, { ...between, page_size: '1' })
  expect(first).toMatchObject({
    has_more: true,
    items: [
      {
        msg_type: 'text',
        chat_id: chatId,
        create_time: String((START + 10) * 1_000),
        sender: { id: bench.appId, id_type: 'app_id', sender_type: 'app' },
        body: { content: '{"text":"at 10"}' },
      },
    ],
  })
  const second = await history(bench, { ...between, page_size: '1', page_token: String(first['page_token']) })
  expect(second).toMatchObject({
    has_more: false,
    items: [{ sender: { id: 'ou_ann', id_type: 'open_id', sender_type: 'user' } }],
  })
  expect(second).not.toHaveProperty('page_token')
  const newest = await history(bench, { container_id: chatId, sort_type: 'ByCreateTimeDesc', page_size: '1' })
  expect(listContents(newest)).toEqual(['{"text":"at 20"}'])
})

it('tells of a group only with the scope for all of its messages', async () => {
  await using bench = await openBench()
  const { chatId } = await bench.control.say({ from: ANN, group: { id: 'team' }, text: 'hi', mention: true })
  const asked = `/im/v1/messages?container_id_type=chat&container_id=${chatId}`
  expect((await bench.call('GET', asked)).body).toMatchObject({ code: 230027 })
  await bench.control.injectFault({ kind: 'scope', scope: 'im:message.group_msg', granted: true })
  expect(getData(await bench.call('GET', asked))).toMatchObject({
    items: [{ mentions: [{ key: '@_user_1', id: 'ou_bot_gatepost', id_type: 'open_id' }] }],
  })
})

it('keeps what was written in a thread for those who ask for the thread', async () => {
  await using bench = await openBench()
  const said = await bench.control.say({ from: ANN, text: 'root' })
  const body = { msg_type: 'text', content: '{"text":"inside"}', reply_in_thread: true }
  const { thread_id } = getData(await bench.call('POST', `/im/v1/messages/${said.messageId}/reply`, body))
  expect(listContents(await history(bench, { container_id: said.chatId }))).toEqual(['{"text":"root"}'])
  const thread = { container_id_type: 'thread', container_id: String(thread_id) }
  expect(listContents(await history(bench, thread))).toEqual(['{"text":"inside"}'])
})

const refused: readonly [why: string, query: string, code: number][] = [
  ['an unknown chat', 'container_id_type=chat&container_id=oc_none', 230002],
  ['another kind of container', 'container_id_type=user&container_id=oc_p2p_ann', 230001],
  ['pages of 51', 'container_id_type=chat&container_id=oc_p2p_ann&page_size=51', 230001],
  ['milliseconds', 'container_id_type=chat&container_id=oc_p2p_ann&start_time=1763700000000', 230001],
  ['a made-up page', 'container_id_type=chat&container_id=oc_p2p_ann&page_token=x', 230001],
]
it.each(refused)('refuses %s', async (_why, query, code) => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, text: 'hello' })
  expect(await bench.call('GET', `/im/v1/messages?${query}`)).toMatchObject({ status: 400, body: { code } })
})
