import { expect, it } from 'vitest'
import { openBench } from './wire-client.ts'

const ann = { id: 'ann@im.wechat', name: 'Ann' }

it('returns a batch again until its cursor comes back, also to another process of the client', async () => {
  await using bench = await openBench()
  const first = await bench.control.say({ from: ann, text: 'one' })
  const second = await bench.control.say({ from: ann, text: 'two' })
  const batch = await bench.poll()
  expect(batch.messages.map((message) => message['message_id'])).toEqual([first.messageId, second.messageId])
  await bench.control.say({ from: ann, text: 'three' })
  expect(await bench.poll('')).toEqual(batch)
  expect(await bench.control.events()).toMatchObject([
    { messageId: first.messageId, deliveries: 2, confirmedAtMs: null },
    { messageId: second.messageId, deliveries: 2, confirmedAtMs: null },
  ])
  const next = await bench.poll(batch.cursor)
  expect(next.messages).toMatchObject([{ item_list: [{ text_item: { text: 'three' } }] }])
  expect((await bench.control.events())[0]?.confirmedAtMs).not.toBeNull()
  // what is confirmed never comes again, even to one who lost its cursor
  expect((await bench.poll('')).messages).toEqual(next.messages)
})

it('counts the sends for one message and refuses the 11th', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ann, text: 'hello' })
  const { messages } = await bench.poll()
  const token = messages[0]?.['context_token']
  for (let at = 1; at <= 10; at++) expect(await bench.send(token, `${at}`)).toMatchObject({ ret: 0 })
  expect(await bench.send(token, '11')).toEqual({ ret: -2 })
  expect((await bench.control.sent()).map(({ text }) => text)).toHaveLength(10)
})
