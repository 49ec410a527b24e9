import { expect, it, onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { never, testIo, until } from '../wire/testing.ts'
import { BOT_MESSAGES, openSocket } from './socket.ts'

it('ends only when also what came while it was being closed is stored', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.address()
  const url = new URL(`ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
  const connected = new Promise<WebSocket>((resolve) => server.once('connection', resolve))
  const disk = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() }
  const steps: string[] = []
  let frames = 0
  const stream = await openSocket(
    url,
    {
      io: testIo(),
      alive: () => void frames++,
      failed: (error) => expect.unreachable(String(error)),
      async take(data) {
        await disk[data === 'first' ? 'first' : 'second'].promise
        steps.push(data)
      },
    },
    never,
  )
  const peer = await connected
  const closed = new Promise((resolve) => peer.once('close', resolve))
  const say = (data: string): void => {
    const headers = { topic: BOT_MESSAGES, messageId: data }
    peer.send(JSON.stringify({ type: 'CALLBACK', headers, data }))
  }
  say('first')
  await until(() => frames === 2) // the first sign of life is that it is open
  const retired = stream.retire().then(() => steps.push('ended'))
  say('second')
  await until(() => frames === 3)
  disk.first.resolve()
  await closed
  await new Promise((resolve) => setImmediate(resolve))
  disk.second.resolve()
  await retired
  expect(steps).toEqual(['first', 'second', 'ended'])
})
