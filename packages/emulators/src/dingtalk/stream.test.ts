import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { BOT_MESSAGES } from './stream.ts'
import { openBench, ROBOT } from './testing-app.ts'

const ANN = { id: 'manager807', name: 'Ann' }

it('hands a message to a connection, and never again once it is confirmed', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const app = await bench.connect()
  const { messageId } = await bench.control.say({ from: ANN, text: 'hello' })
  const frame = await app.next()
  expect(frame).toMatchObject({
    type: 'CALLBACK',
    topic: BOT_MESSAGES,
    data: { msgId: messageId, msgtype: 'text', text: { content: 'hello' }, senderStaffId: ANN.id, robotCode: ROBOT },
  })
  app.answer(frame)
  await bench.control.requests({ method: 'stream.answer' })
  while ((await bench.control.events())[0]?.confirmedAtMs === null)
    await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(120_000)
  expect(await bench.control.events()).toMatchObject([{ messageId, deliveries: 1 }])
})
