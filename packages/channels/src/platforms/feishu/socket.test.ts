import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { expect, it, onTestFinished } from 'vitest'
import { manualClock } from '../../testing/clock.ts'
import { never } from '../wire/testing.ts'
import { type Frame, openFrameCodec } from './frame.ts'
import { type Handlers, type LongConnection, openSocket } from './socket.ts'

const { read: readFrame, write: writeFrame } = await openFrameCodec()

/** A server that does only what a test says, and what it was sent. */
interface Wire {
  readonly line: LongConnection
  readonly clock: ReturnType<typeof manualClock>
  readonly warnings: readonly string[]
  send(bytes: Uint8Array | string): void
  /** The next frame of the client. */
  next(): Promise<Frame>
}

async function openWire(handlers: Handlers = {}): Promise<Wire> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const frames: Frame[] = []
  let wake: () => void = () => undefined
  const accepted = Promise.withResolvers<WebSocket>()
  server.once('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const frame = readFrame(data)
      if (frame !== null) frames.push(frame)
      wake()
    })
    accepted.resolve(socket)
  })
  const { port } = server.address() as AddressInfo // a TCP server has an address with a port
  const clock = manualClock(0)
  const warnings: string[] = []
  const quiet = (): void => undefined
  const log = { debug: quiet, info: quiet, warn: (words: string) => void warnings.push(words), error: quiet }
  const url = new URL(`ws://127.0.0.1:${port}/ws?device_id=d&service_id=77`)
  const line = await openSocket({ url, pingMs: 100_000, io: { clock, log }, handlers }, never)
  onTestFinished(() => line.close())
  const peer = await accepted.promise
  return {
    line,
    clock,
    warnings,
    send: (bytes) => peer.send(bytes),
    async next() {
      for (;;) {
        const frame = frames.shift()
        if (frame !== undefined) return frame
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}

const EVENT = { header: { event_id: 'e-1', event_type: 'known' }, event: { words: 'hello' } }

const data = (payload: unknown, headers: Readonly<Record<string, string>> = {}): Frame => ({
  seqId: 2n ** 64n - 1n,
  logId: 2n ** 63n + 1n,
  service: 77,
  method: 1,
  headers: new Map(Object.entries({ type: 'event', message_id: 'm-1', trace_id: 't-1', ...headers })),
  payloadType: 'json',
  payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
  logIdNew: 'new',
})

const pong = (payload?: string): Uint8Array =>
  writeFrame({
    seqId: 0n,
    logId: 0n,
    service: 77,
    method: 0,
    headers: new Map([['type', 'pong']]),
    ...(payload === undefined ? {} : { payload: Buffer.from(payload) }),
  })

const said = (frame: Frame): unknown => JSON.parse(Buffer.from(frame.payload ?? []).toString())

it('pings as the service that the address names, at once and at the interval', async () => {
  const { next, send, clock, line } = await openWire()
  const ping = { service: 77, method: 0, headers: new Map([['type', 'ping']]) }
  expect(await next()).toMatchObject(ping)
  const before = line.received()
  send(pong())
  await expect.poll(() => line.received()).toBeGreaterThan(before)
  await clock.advance(100_000)
  expect(await next()).toMatchObject(ping)
})

it('confirms an event once it is handled: the same frame, with the time that it took', async () => {
  const stored = Promise.withResolvers<void>()
  const heard: unknown[] = []
  const known = (event: unknown): Promise<void> => {
    heard.push(event)
    return stored.promise
  }
  const { next, send, clock } = await openWire({ known })
  await next()
  const frame = data(EVENT)
  send(writeFrame(frame))
  await expect.poll(() => heard).toEqual([{ event_id: 'e-1', event_type: 'known', words: 'hello' }])
  await clock.advance(1_234)
  stored.resolve()
  const ack = await next()
  expect(ack).toEqual({ ...frame, headers: new Map([...frame.headers, ['biz_rt', '1234']]), payload: ack.payload })
  expect(said(ack)).toEqual({ code: 200 })
})

it('has an event sent again that could not be handled', async () => {
  const { next, send } = await openWire({ known: () => Promise.reject(new Error('disk full')) })
  await next()
  send(writeFrame(data(EVENT)))
  expect(said(await next())).toEqual({ code: 500 })
})

it.each([
  ['an event that nobody waits for', { header: { event_type: 'other' }, event: {} }],
  ['an event with the name of a member of every object', { header: { event_type: 'constructor' }, event: {} }],
  ['an event that is no JSON', '{'],
  ['an event without a header', { event: {} }],
])('confirms %s, which would come again for hours', async (_what, payload) => {
  const { next, send } = await openWire()
  await next()
  send(writeFrame(data(payload)))
  expect(said(await next())).toEqual({ code: 200 })
})

it('survives what is no frame, and confirms nothing that is not for it', async () => {
  const { next, send, warnings } = await openWire()
  await next()
  send(Buffer.from('ffff', 'hex'))
  send('text')
  send(writeFrame(data(EVENT, { type: 'card' })))
  send(writeFrame({ ...data(EVENT), method: 7 }))
  send(writeFrame(data(EVENT, { message_id: 'the last' })))
  expect((await next()).headers.get('message_id')).toBe('the last')
  expect(warnings).toHaveLength(3)
})

it('does not store without end: what is beyond comes again', async () => {
  const { next, send } = await openWire({ known: () => new Promise(() => undefined) })
  await next()
  for (let n = 0; n <= 200; n += 1) send(writeFrame(data(EVENT, { message_id: `m-${n}` })))
  const refused = await next()
  expect([refused.headers.get('message_id'), said(refused)]).toEqual(['m-200', { code: 500 }])
})

it.each([
  ['an interval', '{"PingInterval":30,"ReconnectCount":-1,"ReconnectInterval":120,"ReconnectNonce":30}', 30_000],
  ['no interval', '{"ReconnectCount":-1}', 100_000],
  ['an interval without a pause', '{"PingInterval":0}', 100_000],
  ['nonsense', 'NaN', 100_000],
])('takes from a pong %s', async (_what, payload, pingMs) => {
  const { next, send, line } = await openWire()
  await next()
  send(pong(payload))
  send(writeFrame(data(EVENT)))
  await next()
  expect(line.pingMs).toBe(pingMs)
})

it('ends a line on which nothing comes after a ping', async () => {
  const { next, clock, line } = await openWire()
  await next()
  await clock.advance(75_000)
  await line.ended
  expect(clock.sleeping).toBe(0)
})

it.each([
  [{ 'handshake-status': '514', 'handshake-autherrcode': '1000040350' }, 1000040350],
  [{ 'handshake-status': '403', 'handshake-msg': 'forbidden' }, 403],
  [{}, null],
])('says why the upgrade was refused: %j', async (headers, code) => {
  const server = createServer().on('upgrade', (_request, socket) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}content-length: 0\r\n\r\n`)
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server has an address with a port
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const url = new URL(`ws://127.0.0.1:${port}/?ticket=secret`)
  const opening = openSocket({ url, pingMs: 1_000, io: { clock: manualClock(0), log }, handlers: {} }, never)
  await expect(opening).rejects.toMatchObject({ name: 'HandshakeFailed', code })
})

it('opens nothing when stopped', async () => {
  const server = createServer().on('upgrade', () => undefined)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server has an address with a port
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const stop = new AbortController()
  const url = new URL(`ws://127.0.0.1:${port}/`)
  const opening = openSocket({ url, pingMs: 1_000, io: { clock: manualClock(0), log }, handlers: {} }, stop.signal)
  server.once('upgrade', () => stop.abort())
  await expect(opening).rejects.toMatchObject({ name: 'HandshakeFailed' })
})
