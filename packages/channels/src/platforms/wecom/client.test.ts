import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { object, parseJson } from '../wire/json.ts'
import { run } from '../wire/testing-run.ts'
import { never, testIo } from '../wire/testing.ts'
import { wecom } from './platform.ts'
import { textPart } from './testing.ts'

interface Line {
  send(frame: unknown): void
  /** As it is. */
  raw(data: string | Buffer): void
}

/** A server of our own words. @param subscribed What it says after a subscription. */
async function server(subscribed: (line: Line) => void, frame?: (line: Line, frame: unknown) => void) {
  const listening = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(listening, 'listening')
  onTestFinished(() => {
    for (const socket of listening.clients) socket.terminate()
    listening.close()
  })
  let subscriptions = 0
  listening.on('connection', (socket) => {
    const line: Line = { send: (value) => socket.send(JSON.stringify(value)), raw: (data) => socket.send(data) }
    socket.on('message', (data: Buffer) => {
      const came = parseJson(data.toString())
      const { cmd, headers } = object(came) ?? {}
      if (cmd !== 'aibot_subscribe') return frame?.(line, came)
      subscriptions++
      line.send({ headers, errcode: 0, errmsg: 'ok' })
      subscribed(line)
    })
  })
  const address = listening.address()
  const port = typeof address === 'object' ? address?.port : 0
  const io = testIo({ host: () => `ws://127.0.0.1:${port}` })
  const connection = wecom.connect({ bot_id: 'aibTest', secret: 'the-secret-of-the-test' }, io)
  return { io, connection, subscriptions: () => subscriptions }
}

const callback = (msgid: unknown, more: object = {}): object => ({
  cmd: 'aibot_msg_callback',
  headers: { req_id: `R-${String(msgid)}` },
  body: { msgid, chattype: 'single', from: { userid: 'ann' }, msgtype: 'text', text: { content: 'hello' }, ...more },
})

it('outlives frames of no form, and takes those beside them', async () => {
  const odd: readonly unknown[] = [
    null,
    7,
    [],
    'text',
    { headers: { req_id: 7 } },
    { headers: null, errcode: 0 },
    { cmd: '__proto__', headers: { req_id: '__proto__' } },
    { cmd: 'aibot_msg_callback' },
    { cmd: 'aibot_msg_callback', body: { msgtype: {} } },
    { cmd: 'aibot_event_callback', body: { msgtype: 'event', event: { eventtype: { a: 1 } } } },
    { headers: { req_id: 'ping_1' }, errcode: 'x' },
    callback('7301234567890123456', { text: null }),
    callback('M1', { from: { userid: '__proto__' }, msgtype: '__proto__' }),
    callback('M2', { chattype: 'group', chatid: ['a'] }),
  ]
  const { io, connection, subscriptions } = await server((line) => {
    for (const frame of odd) line.send(frame)
    line.raw('{')
    line.raw('')
    line.raw(`${'['.repeat(100_000)}`)
    line.raw(Buffer.from([0, 255, 254]))
    line.send(callback('M3', { text: { content: 'after \u0000 and \ud800' } }))
  })
  const { messages, until } = run(connection)
  await until(() => messages.length > 0)
  expect(messages).toMatchObject([{ messageId: 'M3' }])
  expect(subscriptions()).toBe(1)
  expect(JSON.stringify(io.lines)).not.toMatch(/hello|the-secret/)
})

it('takes an answer without a status for none, and what follows for unsent', async () => {
  const { connection } = await server(
    (line) => line.send(callback('M1')),
    (line, frame) => line.send({ headers: object(frame)?.['headers'], errmsg: 'the-secret-of-the-test' }),
  )
  const bot = run(connection)
  await bot.message('hello')
  expect(await connection.send(textPart('x', { proactive: true }), never)).toMatchObject({ status: 'unknown' })
  await bot.stop()
  expect(await connection.send(textPart('x', { proactive: true }), never)).toMatchObject({ code: 'network' })
})

it('lets go of everything when it is told twice at once that another has taken over', async () => {
  const event = {
    cmd: 'aibot_event_callback',
    headers: { req_id: 'E' },
    body: { event: { eventtype: 'disconnected_event' } },
  }
  const { io, connection } = await server((line) => {
    line.send(event)
    line.send({ headers: { req_id: 'aibot_subscribe_again' }, errcode: 0 })
    line.send(event)
    line.send(callback('M1'))
  })
  const { ended, events } = run(connection)
  expect(await ended).toMatchObject({ code: 'taken_over', final: true })
  expect([events, io.clock.sleeping]).toEqual([[], 0])
})
