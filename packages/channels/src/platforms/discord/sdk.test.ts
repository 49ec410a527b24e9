import { createServer, type Socket as TcpSocket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { openSocket, type Session, type Socket } from './sdk.ts'

interface Heard {
  readonly events: unknown[]
  readonly closed: Promise<number>
}

function open(url: string, session: Session | null = null): Promise<{ heard: Heard; socket: Socket }> {
  const closed = Promise.withResolvers<number>()
  const events: unknown[] = []
  const heard: Heard = { events, closed: closed.promise }
  const note =
    (name: string) =>
    (...rest: readonly unknown[]): void =>
      void events.push([name, ...rest])
  const options = {
    token: 'a.b.c',
    url,
    intents: 1,
    session,
    sequence: () => 7,
    waitToIdentify: () => Promise.resolve(),
    events: {
      began: note('began'),
      dispatched: note('dispatched'),
      resumed: note('resumed'),
      heartbeat: note('heartbeat'),
      lost: note('lost'),
      closed: (code: number) => closed.resolve(code),
    },
  }
  return openSocket(options).then((socket) => ({ heard, socket }))
}

/** A gateway that greets, and says these frames when it has been answered. */
async function gateway(...frames: readonly string[]): Promise<{ url: string; received: unknown[]; closes: number[] }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const received: unknown[] = []
  const closes: number[] = []
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString('utf8'))))
    socket.once('message', () => {
      for (const frame of frames) socket.send(frame)
    })
    socket.on('close', (code) => closes.push(code))
    socket.send('{"op":10,"s":null,"t":null,"d":{"heartbeat_interval":41250}}')
  })
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(async () => {
    for (const socket of server.clients) socket.terminate()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `ws://127.0.0.1:${port}`, received, closes }
}

const READY = JSON.stringify({
  op: 0,
  s: 1,
  t: 'READY',
  d: { session_id: 'x', resume_gateway_url: 'ws://127.0.0.1:1' },
})

it.each([
  ['an invalid session that says nothing', '{"op":9,"d":null}'],
  ['a READY without data', '{"op":0,"s":1,"t":"READY","d":null}'],
  ['a READY without a session', '{"op":0,"s":1,"t":"READY","d":{}}'],
  ['a greeting without an interval', '{"op":10,"d":null}'],
])('ends the connection, and nothing else, at %s', async (_what, frame) => {
  const { url } = await gateway(frame)
  const { heard } = await open(url)
  expect(await heard.closed).toBe(4002)
})

const ODD = '{"op":0,"s":0,"t":{"toString":1},"d":1}'

it('passes over frames that mean nothing', async () => {
  const { url } = await gateway('no json', 'null', '[]', '5', '{"op":77}', '{"op":0,"s":"1","t":"X","d":1}', READY, ODD)
  const { heard, socket } = await open(url)
  await expect.poll(() => heard.events.length).toBe(3)
  expect(heard.events[0]).toEqual(['began', { sessionId: 'x', resumeUrl: 'ws://127.0.0.1:1' }])
  expect(heard.events).toContainEqual(['dispatched', 'READY', 1, expect.anything()])
  expect(heard.events).toContainEqual(['dispatched', '', 0, 1])
  await socket.end()
})

it.each([
  ['does not take the session', ['{"op":9,"d":false}']],
  ['asks to reconnect at once', [READY, '{"op":7,"d":null}']],
])('connects once only, also when the gateway %s', async (_what, frames) => {
  const { url, received } = await gateway(...frames)
  const { heard } = await open(url)
  expect(await heard.closed).toBe(4200)
  expect(received).toHaveLength(1)
})

it('resumes from what is stored, not from what was received, and leaves the session resumable', async () => {
  const server = await gateway(
    '{"op":0,"s":9,"t":"MESSAGE_CREATE","d":{}}',
    '{"op":0,"s":10,"t":"RESUMED","d":{}}',
    '{"op":1}',
  )
  const { heard, socket } = await open(server.url, { sessionId: 'x', resumeUrl: server.url })
  await expect.poll(() => server.received.length).toBe(2)
  expect(server.received).toEqual([
    { op: 6, d: { token: 'a.b.c', seq: 7, session_id: 'x' } },
    { op: 1, d: 7 },
  ])
  await expect.poll(() => heard.events).toContainEqual(['resumed'])
  await socket.end()
  await expect.poll(() => server.closes).toEqual([4200])
  expect(heard.events).not.toContainEqual(['lost'])
})

it('is ended while it still connects to something that does not answer', async () => {
  const accepted = Promise.withResolvers<TcpSocket>()
  const server = createServer((socket) => accepted.resolve(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const { heard, socket } = await open(`ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
  const tcp = await accepted.promise
  await socket.end()
  const gone = new Promise((resolve) => tcp.once('close', resolve))
  tcp.destroy()
  await gone
  expect(heard.events).toEqual([])
})

it('leaves nothing in memory when it has ended', async () => {
  const { url } = await gateway(READY, '{"op":7,"d":null}')
  const opened = async (): Promise<WeakRef<Socket>> => {
    const { heard, socket } = await open(url)
    expect(await heard.closed).toBe(4200)
    return new WeakRef(socket)
  }
  const left = await opened()
  await opened() // something may hold on to the newest
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  await expect
    .poll(() => {
      if (typeof collect === 'function') Reflect.apply(collect, null, [])
      return left.deref()
    })
    .toBeUndefined()
})
