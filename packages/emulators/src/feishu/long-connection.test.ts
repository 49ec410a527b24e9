import { expect, it, vi } from 'vitest'
import { openBench } from './bench.ts'
import { openSdk } from './official-sdk.ts'

const FAST = {
  client: { PingInterval: 1, ReconnectInterval: 1, ReconnectNonce: 0 },
  redeliverMs: [100, 100, 100, 100],
} as const

it('hands an event to the official library, which acknowledges it', async () => {
  await using bench = await openBench(FAST)
  await using sdk = await openSdk(bench)
  await sdk.start()
  await vi.waitUntil(() => sdk.states.includes('ready'))
  expect(await bench.control.bot()).toMatchObject({ connected: true })
  const { messageId, chatId } = await bench.control.say({ from: { id: 'ou_a', name: 'Ann' }, text: 'hello' })
  await vi.waitUntil(async () => (await bench.control.events())[0]?.confirmedAtMs)
  expect(await bench.control.events()).toMatchObject([{ messageId, deliveries: 1 }])
  expect(sdk.heard).toMatchObject([
    {
      event_type: 'im.message.receive_v1',
      sender: { sender_id: { open_id: 'ou_a' }, sender_type: 'user' },
      message: { message_id: messageId, chat_id: chatId, chat_type: 'p2p', content: '{"text":"hello"}' },
    },
  ])
  const [ack] = await bench.control.requests({ method: 'ack' })
  expect(ack).toMatchObject({ body: '{"code":200}', headers: { type: 'event', biz_rt: expect.any(String) } })
})
