import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { connectControl } from '../kit/control.ts'
import { manualClock } from '../kit/testing-clock.ts'
import type { WecomFault } from './faults.ts'
import { openBench, ZHANG } from './testing-bot.ts'

it('subscribes with the right pair only, and hears nothing else before', async () => {
  await using bench = await openBench()
  const bot = await bench.connect()
  const { bot_id: id = '', secret = '' } = (await bench.control.bot()).credentials
  expect(await bot.call('ping')).toMatchObject({ errcode: 846609 })
  expect(await bot.push('zhang', 'x')).toMatchObject({ errcode: 846609 })
  expect(await bot.call('aibot_subscribe', { bot_id: secret, secret: id })).toMatchObject({ errcode: 93019 })
  expect(await bot.call('aibot_subscribe', { bot_id: id, secret: 'wrong' })).toMatchObject({ errcode: 853000 })
  expect((await bench.control.bot()).connected).toBe(false)
  expect(await bot.call('aibot_subscribe', { bot_id: id, secret })).toMatchObject({ errcode: 0, errmsg: 'ok' })
  expect(await bot.call('ping')).toMatchObject({ errcode: 0 })
  expect((await bench.control.bot()).connected).toBe(true)
})

it('keeps one live connection: a new one ends the old with disconnected_event', async () => {
  await using bench = await openBench()
  const old = await bench.subscribe()
  const young = await bench.subscribe()
  expect(await old.next()).toMatchObject({
    cmd: 'aibot_event_callback',
    body: { msgtype: 'event', event: { eventtype: 'disconnected_event' } },
  })
  await old.closed
  await bench.hear(young)
  expect(old.waiting).toBe(0)
})

it('kicks when it is told to, and says when there is nobody to kick', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.control.injectFault({ kind: 'kick' })
  expect(await bot.next()).toMatchObject({ body: { event: { eventtype: 'disconnected_event' } } })
  await bot.closed
  await expect(bench.control.injectFault({ kind: 'kick' })).rejects.toThrow(RangeError)
})

it('keeps nothing for a bot that is not connected', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ZHANG, text: 'lost' })
  const bot = await bench.subscribe()
  await bench.control.say({ from: ZHANG, text: 'heard' })
  expect((await bot.next()).body).toMatchObject({ text: { content: 'heard' } })
  expect(await bench.control.events()).toMatchObject([{ deliveries: 1, confirmedAtMs: null }])
})

it('loses a message, or hands it over twice with one msgid', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.control.injectFault({ kind: 'lose' })
  await bench.control.say({ from: ZHANG, text: 'lost' })
  await bench.control.injectFault({ kind: 'repeat' })
  const { messageId } = await bench.control.say({ from: ZHANG, text: 'twice' })
  const [one, other] = [await bot.next(), await bot.next()]
  expect([one.body['msgid'], other.body['msgid']]).toEqual([messageId, messageId])
  expect(one.reqId).not.toBe(other.reqId)
})

it('forgets the req_ids of a connection with it', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  const reqId = await bench.hear(bot)
  await bench.control.dropConnections()
  await bot.closed
  const next = await bench.subscribe()
  expect(await next.stream(reqId, 's1', 'late', true)).toMatchObject({ errcode: 846605 })
  expect(await next.stream('never given', 's1', 'late', true)).toMatchObject({ errcode: 846605 })
  expect(await next.push('zhang', 'instead')).toMatchObject({ errcode: 0 })
})

it('refuses the secret after it was revoked, and ends the connection', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.control.revoke()
  await bot.closed
  const next = await bench.connect()
  const { credentials } = await bench.control.bot()
  expect(await next.call('aibot_subscribe', credentials)).toMatchObject({ errcode: 853000 })
})

it('answers the heartbeat whatever the next call meets, unless a fault names it', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.control.injectFault({ kind: 'error', code: 45009 })
  expect(await bot.call('ping')).toMatchObject({ errcode: 0 })
  expect(await bot.push('zhang', 'x')).toMatchObject({ errcode: 45009, errmsg: 'api freq out of limit' })
  await bench.control.injectFault({ kind: 'hang', method: 'ping' })
  bot.send('ping', {}, 'ping_unanswered')
  expect(await bot.call('ping')).toMatchObject({ errcode: 0 })
  const pings = await bench.control.requests({ method: 'ping' })
  expect(pings.map(({ status }) => status)).toEqual([200, 0, 200])
})

it('has the faults of a network: shown or not, and never answered', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.hear(bot)
  await bench.control.injectFault({ kind: 'swallow_ack' })
  bot.send('aibot_send_msg', { chatid: 'zhang', msgtype: 'markdown', markdown: { content: 'swallowed' } }, 'r1')
  await bench.control.waitForSent()
  await bench.control.injectFault({ kind: 'drop_after' })
  bot.send('aibot_send_msg', { chatid: 'zhang', msgtype: 'markdown', markdown: { content: 'dropped' } }, 'r2')
  await bot.closed
  const next = await bench.subscribe()
  await bench.control.injectFault({ kind: 'drop_before' })
  next.send('aibot_send_msg', { chatid: 'zhang', msgtype: 'markdown', markdown: { content: 'never' } }, 'r3')
  await next.closed
  expect((await bench.control.sent()).map(({ text }) => text)).toEqual(['swallowed', 'dropped'])
  const sends = await bench.control.requests({ method: 'aibot_send_msg' })
  expect(sends.map(({ status }) => status)).toEqual([0, 0, 0])
})

it('takes effect at once and acks later when it is slow', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const bot = await bench.subscribe()
  await bench.hear(bot)
  await bench.control.injectFault({ kind: 'slow', ms: 60_000 })
  const push = bot.push('zhang', 'slow')
  await bench.control.waitForSent()
  await clock.advance(60_000)
  expect(await push).toMatchObject({ errcode: 0 })
})

it('refuses a connection with the status of a proxy, or takes it and never hears it', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'bad_gateway' })
  await expect(bench.connect()).rejects.toThrow('502')
  await bench.control.injectFault({ kind: 'hang', method: 'connect' })
  const deaf = await bench.connect()
  deaf.send('ping', {}, 'ping_1')
  await (await bench.connect()).call('ping')
  expect(await bench.control.requests({ method: 'ping' })).toHaveLength(1)
})

it('answers what is no frame or an unknown one as invalid, and goes on', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  for (const cmd of ['aibot_unknown', 'constructor', '']) expect(await bot.call(cmd)).toMatchObject({ errcode: 40058 })
  bot.socket.send('not json')
  expect(await bot.call('ping')).toMatchObject({ errcode: 0 })
  expect(bot.socket.readyState).toBe(WebSocket.OPEN)
})

it('is driven over HTTP alike', async () => {
  await using bench = await openBench()
  const control = connectControl<WecomFault>(bench.url)
  expect(await control.bot()).toEqual(await bench.control.bot())
  await control.say({ from: ZHANG, text: 'hello' })
  expect(await control.conversation({ chatId: 'zhang' })).toMatchObject([
    { by: 'person', name: 'Zhang', text: 'hello' },
  ])
  await expect(control.say({ from: ZHANG })).rejects.toThrow('a text or a file')
  await expect(control.injectFault({ kind: 'kick' })).rejects.toThrow('No bot is connected')
  await expect(control.injectFault({ kind: 'toString' } as never)).rejects.toThrow('Unknown fault: toString')
})
