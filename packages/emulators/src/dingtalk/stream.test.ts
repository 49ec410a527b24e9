import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { connectControl } from '../kit/control.ts'
import { manualClock, until } from '../kit/testing-clock.ts'
import type { DingtalkFault } from './faults.ts'
import { BOT_MESSAGES } from './stream.ts'
import { type Bench, openBench, ROBOT } from './testing-app.ts'

const ANN = { id: 'manager807', name: 'Ann' }

const isConfirmed = async ({ control }: Bench): Promise<boolean> =>
  (await control.events()).every(({ confirmedAtMs }) => confirmedAtMs !== null)

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
  await until(() => isConfirmed(bench))
  await clock.advance(120_000)
  expect(await bench.control.events()).toMatchObject([{ messageId, deliveries: 1 }])
})

it('repeats an unanswered message after 16 s and then each 60 s, in new frames with the same msgId, for 10 min', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, pingMs: 3_600_000 })
  const app = await bench.connect()
  await bench.control.say({ from: ANN, text: 'hello' })
  const first = await app.next()
  await clock.advance(15_999)
  expect(await bench.control.events()).toMatchObject([{ deliveries: 1 }])
  await clock.advance(1)
  const second = await app.next()
  await clock.advance(60_000)
  const third = await app.next()
  expect(new Set([first, second, third].map(({ id }) => id)).size).toBe(3)
  expect(new Set([first, second, third].map(({ data }) => data['msgId'])).size).toBe(1)
  await clock.advance(3_600_000)
  expect(await bench.control.events()).toMatchObject([{ deliveries: 11, confirmedAtMs: null }])
})

it('repeats a message that the app could not handle, and takes a late answer to an earlier frame', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const app = await bench.connect()
  await bench.control.say({ from: ANN, text: 'hello' })
  const first = await app.next()
  app.answer(first, 500)
  await until(async () => (await bench.control.requests({ method: 'stream.answer' })).length === 1)
  await clock.advance(16_000)
  await app.next()
  app.answer(first)
  await until(() => isConfirmed(bench))
  await clock.advance(300_000)
  expect(await bench.control.events()).toMatchObject([{ deliveries: 2 }])
})

it('repeats a message whose answer was lost', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const app = await bench.connect()
  await bench.control.injectFault({ kind: 'lose_answer' })
  await bench.control.say({ from: ANN, text: 'hello' })
  app.answer(await app.next())
  await until(async () => (await bench.control.faults()).length === 0)
  await clock.advance(16_000)
  app.answer(await app.next())
  await until(() => isConfirmed(bench))
  expect(await bench.control.events()).toMatchObject([{ deliveries: 2 }])
})

it('keeps a message for whoever connects within 10 min', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  await bench.control.say({ from: ANN, text: 'too old' })
  await clock.advance(600_000)
  const kept = await bench.control.say({ from: ANN, text: 'kept' })
  const app = await bench.connect()
  expect((await app.next()).data['msgId']).toBe(kept.messageId)
  expect(await bench.control.events()).toMatchObject([{ messageId: kept.messageId }])
})

it('delivers to one of several connections, and only what it has subscribed to', async () => {
  await using bench = await openBench()
  const [one, other] = [await bench.connect(), await bench.connect()]
  for (const text of ['a', 'b']) await bench.control.say({ from: ANN, text })
  const frames = [await one.next(), await other.next()]
  expect(new Set(frames.map(({ data }) => data['msgId'])).size).toBe(2)
  expect([one.waiting, other.waiting]).toEqual([0, 0])
})

it('lets a ticket in once, within 90 s, and encoded', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const root = `${bench.url.replace('http', 'ws')}/connect?ticket=`
  const refused = (ticket: string): Promise<string> =>
    new Promise((resolve) => new WebSocket(root + ticket).once('error', ({ message }) => resolve(message)))
  const first = await bench.ticket()
  expect(await refused(first)).toContain('401')
  const socket = new WebSocket(root + encodeURIComponent(first))
  await new Promise((resolve) => socket.once('open', resolve))
  socket.terminate()
  expect(await refused(encodeURIComponent(first))).toContain('401')
  const old = await bench.ticket()
  await clock.advance(90_000)
  expect(await refused(encodeURIComponent(old))).toContain('401')
  await bench.control.injectFault({ kind: 'expired_ticket' })
  expect(await refused(encodeURIComponent(await bench.ticket()))).toContain('401')
  await bench.control.injectFault({ kind: 'bad_gateway', method: 'connect' })
  expect(await refused(encodeURIComponent(await bench.ticket()))).toContain('502')
})

it('answers the request for a ticket in XML unless JSON is asked for', async () => {
  await using bench = await openBench()
  const response = await fetch(`${bench.url}/v1.0/gateway/connections/open`, { method: 'POST', body: '{}' })
  expect([response.status, response.headers.get('content-type')]).toEqual([401, 'application/xml'])
  expect(await response.text()).toContain('<code>authFailed</code>')
})

it('refuses a wrong pair with 401, and nothing subscribed with 400', async () => {
  await using bench = await openBench()
  const path = '/v1.0/gateway/connections/open'
  expect(await bench.call('POST', path, { clientId: ROBOT, clientSecret: 'wrong' })).toMatchObject({
    status: 401,
    body: { code: 'authFailed', requestid: expect.any(String) },
  })
  const { client_secret: clientSecret } = (await bench.control.bot()).credentials
  expect(await bench.call('POST', path, { clientId: ROBOT, clientSecret })).toMatchObject({ status: 400 })
  await bench.control.injectFault({ kind: 'error', code: 'ServiceUnavailable', method: 'connections.open' })
  expect(await bench.call('POST', path, { clientId: ROBOT, clientSecret })).toMatchObject({ status: 503 })
})

it('pings, and tells the answer from one to a message', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const app = await bench.connect()
  await clock.advance(30_000)
  const ping = await app.next()
  expect(ping).toMatchObject({ type: 'SYSTEM', topic: 'ping', data: { opaque: expect.any(String) } })
  app.answer(ping)
  await until(async () => (await bench.control.requests({ method: 'stream.other' })).length === 1)
})

it('sends any other frame when it is told to', async () => {
  await using bench = await openBench()
  const app = await bench.connect()
  const topic = '/v1.0/card/instances/callback'
  await bench.control.injectFault({ kind: 'frame', type: 'CALLBACK', topic, data: { outTrackId: 'c1' } })
  const frame = await app.next()
  expect(frame).toMatchObject({ type: 'CALLBACK', topic, data: { outTrackId: 'c1' } })
  app.answer(frame)
  await until(async () => (await bench.control.requests({ method: 'stream.other' })).length === 1)
  expect(await bench.control.events()).toEqual([])
})

it('survives addresses that are none', async () => {
  await using bench = await openBench()
  const { port } = new URL(bench.url)
  for (const head of ['GET // HTTP/1.1', 'GET // HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket']) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${head}\r\nHost: x\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer] // no encoding is set
    expect(answer.toString('latin1')).toContain('HTTP/1.1 404')
    socket.destroy()
  }
})

it('asks for a new connection, gives this one no more messages and closes it 10 s later', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const app = await bench.connect()
  await bench.control.injectFault({ kind: 'disconnect' })
  expect(await app.next()).toMatchObject({ type: 'SYSTEM', topic: 'disconnect' })
  await bench.control.say({ from: ANN, text: 'hello' })
  const next = await bench.connect()
  expect(await next.next()).toMatchObject({ data: { text: { content: 'hello' } } })
  await clock.advance(9_999)
  expect(app.socket.readyState).toBe(WebSocket.OPEN)
  await clock.advance(1)
  await app.closed
  expect(app.waiting).toBe(0)
})

it('leaves a half-open connection without pongs, and counts on it until there is another', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const app = await bench.connect()
  let pongs = 0
  app.socket.on('pong', () => (pongs += 1))
  await bench.control.injectFault({ kind: 'half_open' })
  app.socket.ping()
  expect((await bench.control.bot()).connected).toBe(false)
  await bench.control.say({ from: ANN, text: 'hello' })
  expect(await bench.control.events()).toMatchObject([{ deliveries: 1 }])
  const next = await bench.connect()
  await clock.advance(16_000)
  expect(await next.next()).toMatchObject({ data: { text: { content: 'hello' } } })
  expect([pongs, app.waiting]).toEqual([0, 0])
})

it('ends connections and tokens when the credentials are revoked', async () => {
  await using bench = await openBench()
  const app = await bench.connect()
  await bench.control.revoke()
  await app.closed
  const { body } = await bench.call('POST', '/v1.0/gateway/connections/open', (await bench.control.bot()).credentials)
  expect(body['code']).toBe('authFailed')
})

it('is driven over HTTP alike', async () => {
  await using bench = await openBench()
  const control = connectControl<DingtalkFault>(bench.url)
  expect(await control.bot()).toEqual(await bench.control.bot())
  const said = await control.say({ from: ANN, text: 'hello' })
  for (const chatId of [said.chatId, ANN.id]) {
    expect(await control.conversation({ chatId })).toMatchObject([{ by: 'person', text: 'hello' }])
  }
  await expect(control.say({ from: ANN })).rejects.toThrow('a text or a file')
  await expect(control.injectFault({ kind: 'toString' } as never)).rejects.toThrow('Unknown fault: toString')
})
