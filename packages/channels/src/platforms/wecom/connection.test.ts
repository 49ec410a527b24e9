import { isDeepStrictEqual } from 'node:util'
import { SqlError } from '@gatepost/sql'
import { expect, it } from 'vitest'
import { ConnectionError } from '../../errors.ts'
import { run, never, until } from '../wire/testing.ts'
import { startBot, textPart } from './testing.ts'

const MINUTE_MS = 60_000

it('stays away for good when another gateway takes the bot over', async () => {
  const bot = await startBot()
  await bot.alive(1)
  await bot.control.injectFault({ kind: 'kick' })
  const error = await bot.ended
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ code: 'taken_over', final: true, message: /Another gateway/ })
  expect(await bot.frames('aibot_subscribe')).toHaveLength(1)
  expect(bot.clock.sleeping).toBe(0)
})

it.each([
  [45009, 'rate_limited', MINUTE_MS],
  [853000, 'credentials_rejected', null],
  [93019, 'credentials_rejected', null],
  [-1, 'network', null],
])('ends with its class when the subscription is refused: %s', async (code, refusal, retryAfterMs) => {
  const fault = { kind: 'error', code, method: 'aibot_subscribe' } as const
  const bot = await startBot({ prepare: ({ emulator }) => emulator.control.injectFault(fault) })
  expect(await bot.ended).toMatchObject({ code: refusal, retryAfterMs, final: false })
  expect(await bot.frames('aibot_subscribe')).toHaveLength(1)
})

it.each(['bad_gateway', 'hang'] as const)('gives up a connection that does not come about: %s', async (kind) => {
  const bot = await startBot({
    prepare: ({ emulator }) => emulator.control.injectFault({ kind, method: 'connect' }),
  })
  if (kind === 'hang') await bot.clock.untilSleeping(1)
  if (kind === 'hang') await bot.clock.advance(10_000)
  expect(await bot.ended).toMatchObject({ code: 'network' })
})

it('connects again at once when a connection is lost, and tells the gap', async () => {
  const bot = await startBot()
  await bot.alive(1)
  const message = await bot.hear('before')
  const lostMs = bot.clock.now()
  await bot.clock.advance(7_000)
  await bot.control.dropConnections()
  await bot.alive(3)
  expect(bot.gaps).toMatchObject([{ fromMs: lostMs, toMs: lostMs + 7_000, reason_code: 'messages_not_kept' }])
  // what was to be answered on the old connection is answered by a push
  const outcome = await bot.connection.send(textPart('late', { replyTo: message.messageId }), never)
  expect(outcome).toMatchObject({ status: 'delivered' })
  expect(await bot.frames('aibot_respond_msg')).toEqual([])
  expect(await bot.frames('aibot_send_msg')).toMatchObject([{ body: { chatid: 'ann', chat_type: 1 } }])
})

it('leaves it to the supervisor when connections are lost one after the other', async () => {
  const bot = await startBot()
  await bot.alive(1)
  await bot.control.dropConnections()
  await bot.alive(2)
  await bot.control.dropConnections()
  expect(await bot.ended).toMatchObject({ code: 'network' })
  expect(await bot.frames('aibot_subscribe')).toHaveLength(2)
})

it('tells what nobody heard since the process before', async () => {
  const bot = await startBot({ lastHeardMs: (nowMs) => nowMs - 10 * MINUTE_MS })
  await bot.alive(1)
  const now = bot.clock.now()
  expect(bot.gaps).toMatchObject([{ fromMs: now - 10 * MINUTE_MS, toMs: now }])
})

it('proves its life by heartbeats, and gives a connection up that answers none', async () => {
  const bot = await startBot()
  await bot.alive(1)
  await bot.clock.untilSleeping(1)
  await bot.clock.advance(30_000)
  await bot.alive(2)
  await bot.control.injectFault({ kind: 'error', code: -1, method: 'ping', times: 2 })
  for (const count of [2, 3]) {
    await bot.clock.untilSleeping(1)
    await bot.clock.advance(30_000)
    await until(async () => (await bot.frames('ping')).length >= count)
  }
  await bot.alive(3)
  expect(await bot.frames('aibot_subscribe')).toHaveLength(2)
  expect(bot.gaps).toMatchObject([{ toMs: bot.clock.now() }])
  expect(bot.clock.now() - (bot.gaps[0]?.fromMs ?? 0)).toBe(MINUTE_MS)
})

it('subscribes again when the platform has forgotten the subscription', async () => {
  const bot = await startBot()
  await bot.hear('hello')
  await bot.control.injectFault({ kind: 'error', code: 846609 })
  expect(await bot.connection.send(textPart('x'), never)).toMatchObject({ status: 'refused', code: 'network' })
  await bot.alive(3)
  expect(await bot.frames('aibot_subscribe')).toHaveLength(2)
})

it('ends with the reason when what came cannot be stored', async () => {
  const full = new Error('disk full')
  const bot = await startBot({ accept: () => Promise.reject(full) })
  await bot.alive(1)
  await bot.control.say({ from: { id: 'ann' }, text: 'hello' })
  expect(await bot.ended).toBe(full)
})

const away = new SqlError('database_unavailable')

it('keeps what the database cannot take for a while: WeCom would not bring it again', async () => {
  let failures = 2
  const bot = await startBot({ accept: async () => (failures-- > 0 ? Promise.reject(away) : undefined) })
  await bot.alive(1)
  await bot.control.say({ from: { id: 'ann' }, text: 'one' })
  await bot.control.say({ from: { id: 'ann' }, text: 'two' })
  for (const left of [1, 0]) {
    await until(() => failures === left && bot.clock.sleeping === 2)
    await bot.clock.advance(2_000)
  }
  await until(() => bot.events.length === 2)
  expect(bot.events).toMatchObject([{ text: 'one' }, { text: 'two' }])
  expect(await bot.frames('aibot_subscribe')).toHaveLength(1)
})

it('reports a gap from before a message that is not stored yet', async () => {
  const stored = Promise.withResolvers<void>()
  let isWaiting = false
  const accept = (): Promise<void> => {
    isWaiting = true
    return stored.promise
  }
  const bot = await startBot({ accept })
  await bot.alive(1)
  const openedMs = bot.clock.now()
  await bot.clock.untilSleeping(1)
  await bot.control.say({ from: { id: 'ann' }, text: 'hello' })
  await until(() => isWaiting)
  await bot.clock.advance(30_000)
  await until(async () => (await bot.frames('ping')).length > 0)
  await bot.control.dropConnections()
  const lost = { status: 'refused', code: 'network', detail: 'not connected to WeCom' }
  await until(async () => isDeepStrictEqual(await bot.connection.send(textPart('x'), never), lost))
  stored.resolve()
  await until(() => bot.gaps.length > 0)
  expect(bot.gaps).toMatchObject([{ fromMs: openedMs, toMs: bot.clock.now() }])
})

it('stores on the next run what could not be stored at the end of one', async () => {
  const bot = await startBot({ accept: () => Promise.reject(away) })
  await bot.alive(1)
  await bot.control.say({ from: { id: 'ann' }, text: 'one' })
  await until(() => bot.clock.sleeping === 2)
  await bot.stop()
  expect(bot.clock.sleeping).toBe(0)
  const next = run(bot.connection)
  await next.message('one')
  await next.stop()
  const third = run(bot.connection)
  await third.until(() => third.signs() > 0)
  expect(third.events).toEqual([])
})

it('does not try again and again to store what was refused for itself', async () => {
  const bot = await startBot({ accept: () => Promise.reject(new SqlError('value_invalid')) })
  await bot.alive(1)
  await bot.control.say({ from: { id: 'ann' }, text: 'one' })
  expect(await bot.ended).toMatchObject({ code: 'value_invalid' })
  const next = run(bot.connection)
  await next.until(() => next.signs() > 0)
  await next.stop()
  expect(next.events).toEqual([])
})

it('stores everything that came before it was stopped', async () => {
  const storing = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const bot = await startBot({
    async accept() {
      started.resolve()
      await storing.promise
    },
  })
  await bot.alive(1)
  await bot.control.say({ from: { id: 'ann' }, text: 'one' })
  await started.promise
  await bot.control.say({ from: { id: 'ann' }, text: 'two' })
  await bot.alive(3)
  const stopped = bot.stop()
  storing.resolve()
  await stopped
  expect(bot.events).toMatchObject([{ text: 'one' }, { text: 'two' }])
})

it('hears once what the platform brings twice under one key, and that somebody has opened the chat', async () => {
  const bot = await startBot()
  await bot.alive(1)
  await bot.control.injectFault({ kind: 'repeat' })
  await bot.hear('hello')
  await bot.control.injectFault({ kind: 'event', from: 'ben', event: { eventtype: 'enter_chat' } })
  await until(() => bot.events.length >= 3)
  const [first, second, opened] = bot.events
  expect(first?.key).toBe(second?.key)
  expect(opened).toMatchObject({ type: 'reachability', person: { id: 'ben' }, unreachable: null })
})

it('answers in a group the message that is answered, and takes the mention off', async () => {
  const bot = await startBot()
  await bot.alive(1)
  const group = { id: 'wrGroup' }
  const first = await bot.hear('first', { group, mention: true })
  await bot.hear('second', { group, mention: true, from: { id: 'ben' } })
  expect(first).toMatchObject({ text: 'first', chat: { id: 'wrGroup', kind: 'group' }, from: { id: 'ann' } })
  const part = { deliveryId: 'turn-a.1', chat: first.chat }
  await bot.connection.send(textPart('answer', { ...part, replyTo: first.messageId }), never)
  await bot.connection.send(textPart('its rest', { ...part, deliveryId: 'turn-a.2' }), never)
  await bot.connection.send(textPart('to nobody known', { ...part, deliveryId: 'b.1', replyTo: 'M0' }), never)
  expect(await bot.control.sent({ chatId: 'wrGroup' })).toMatchObject([
    { text: 'answer', replyTo: first.messageId },
    { text: 'its rest', replyTo: first.messageId },
    { text: 'to nobody known', replyTo: null },
  ])
})
