import { expect, it } from 'vitest'
import { openBench } from './library-client.ts'

it('runs the official libraries through a whole life: identify, message, send, resume', async () => {
  await using bench = await openBench()
  await bench.control.scan({ act: 'join', id: '300', title: 'Team' })
  const client = bench.gateway()
  await client.manager.connect()
  await client.received('GUILD_CREATE')
  const said = await bench.control.say({ from: { id: '7', name: 'Ann' }, text: 'hello' })
  await client.received('MESSAGE_CREATE')
  const sent = await bench.rest.post(`/channels/${said.chatId}/messages`, { body: { content: 'hi' } })
  expect(sent).toMatchObject({ content: 'hi', channel_id: said.chatId })
  await client.received('MESSAGE_CREATE', 2)
  await bench.control.injectFault({ kind: 'reconnect' })
  await client.received('RESUMED')
  expect(client.seen).toEqual(['READY', 'GUILD_CREATE', 'MESSAGE_CREATE hello', 'MESSAGE_CREATE hi', 'RESUMED'])
  expect(await bench.control.sent()).toMatchObject([{ text: 'hi' }])
})
