import { expect, it } from 'vitest'
import { manualClock, until } from '../kit/testing-clock.ts'
import type { WeixinFault } from './faults.ts'
import { type Bench, openBench } from './wire-client.ts'

const ann = { id: 'ann@im.wechat', name: 'Ann' }
const isHeld = (bench: Bench) => async (): Promise<boolean> => (await bench.control.bot()).connected
const listTexts = (messages: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] =>
  messages.map(({ item_list: items }) => (items as { text_item: { text: string } }[])[0]?.text_item.text) // texts only

it('returns a batch again until its cursor comes back, also to another process of the client', async () => {
  await using bench = await openBench()
  const first = await bench.control.say({ from: ann, text: 'one' })
  const second = await bench.control.say({ from: ann, text: 'two' })
  const batch = await bench.poll()
  expect(batch.messages.map((message) => message['message_id'])).toEqual([first.messageId, second.messageId])
  await bench.control.say({ from: ann, text: 'three' })
  expect(await bench.poll('')).toEqual(batch)
  expect(await bench.control.events()).toMatchObject([
    { messageId: first.messageId, deliveries: 2, confirmedAtMs: null },
    { messageId: second.messageId, deliveries: 2, confirmedAtMs: null },
  ])
  const next = await bench.poll(batch.cursor)
  expect(listTexts(next.messages)).toEqual(['three'])
  expect((await bench.control.events())[0]?.confirmedAtMs).not.toBeNull()
  // what is confirmed never comes again, even to one who lost its cursor
  expect(listTexts((await bench.poll('')).messages)).toEqual(['three'])
})

it('gives a message all its fields, with an id above 2^53 as a bare number and a token of its own', async () => {
  await using bench = await openBench()
  const said = await bench.control.say({ from: ann, text: 'one' })
  await bench.control.say({ from: ann, text: 'two', replyTo: said.messageId })
  const { messages, raw } = await bench.poll()
  expect(raw).toMatchObject({ ret: 0, longpolling_timeout_ms: 35_000 })
  expect(messages[0]).toMatchObject({
    message_id: said.messageId,
    from_user_id: ann.id,
    to_user_id: (await bench.control.bot()).id,
    group_id: '',
    message_type: 1,
    message_state: 2,
    item_list: [{ type: 1, text_item: { text: 'one' } }],
  })
  expect(messages[1]).toMatchObject({ item_list: [{ ref_msg: { svr_id: said.messageId } }] })
  expect(BigInt(said.messageId)).toBeGreaterThan(2n ** 53n)
  expect(new Set(messages.map((message) => message['context_token'])).size).toBe(2)
})

it('holds a poll until somebody writes', async () => {
  await using bench = await openBench()
  const held = bench.poll()
  await until(isHeld(bench))
  await bench.control.say({ from: ann, text: 'hello' })
  expect(listTexts((await held).messages)).toEqual(['hello'])
})

it('answers a poll without messages after the time that it names, under the same cursor', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, holdMs: 1_000 })
  const held = bench.poll()
  await until(isHeld(bench))
  await clock.advance(1_000)
  const { raw, cursor } = await held
  expect(raw).toMatchObject({ ret: 0, msgs: [], longpolling_timeout_ms: 1_000 })
  await bench.control.say({ from: ann, text: 'hello' })
  expect(listTexts((await bench.poll(cursor)).messages)).toEqual(['hello'])
})

it('loses nothing to a poll that was given up', async () => {
  await using bench = await openBench()
  const giveUp = new AbortController()
  const held = bench.poll('', { signal: giveUp.signal })
  await until(isHeld(bench))
  giveUp.abort()
  await expect(held).rejects.toThrow('abort')
  await until(async () => !(await bench.control.bot()).connected)
  await bench.control.say({ from: ann, text: 'hello' })
  expect(await bench.control.events()).toEqual([])
  expect(listTexts((await bench.poll()).messages)).toEqual(['hello'])
})

it('gives a message to one of two pollers: they steal from each other', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const both = [bench.poll(), bench.poll()]
  await until(async () => (await bench.control.requests({ method: 'getupdates' })).length === 2)
  await until(isHeld(bench))
  await bench.control.say({ from: ann, text: 'hello' })
  const winner = await Promise.race(both)
  expect(listTexts(winner.messages)).toEqual(['hello'])
  // the winner confirms while the other still waits
  const next = bench.poll(winner.cursor)
  await until(async () => (await bench.control.requests({ method: 'getupdates' })).length === 3)
  await until(async () => (await bench.control.events())[0]?.confirmedAtMs !== null)
  await clock.advance(35_000)
  const batches = await Promise.all([...both, next])
  expect(batches.flatMap(({ messages }) => listTexts(messages))).toEqual(['hello'])
})

const refusedHeaders: readonly [why: string, headers: Readonly<Record<string, string>>][] = [
  ['no token', {}],
  ['a wrong token', { authorizationtype: 'ilink_bot_token', authorization: 'Bearer wrong' }],
]
it.each(refusedHeaders)('answers -14 to %s', async (_why, headers) => {
  await using bench = await openBench()
  const response = await fetch(`${bench.url}/ilink/bot/getupdates`, { method: 'POST', headers, body: '{}' })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ ret: -14, errcode: -14, errmsg: 'session timeout' })
})

it('answers -14 to a token without its type', async () => {
  await using bench = await openBench()
  const { token } = (await bench.control.bot()).credentials
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${bench.url}/ilink/bot/getupdates`, { method: 'POST', headers, body: '{}' })
  expect(await response.json()).toMatchObject({ ret: -14 })
})

it('ends a held poll with -14 when the log-in is revoked, and refuses everything from then on', async () => {
  await using bench = await openBench()
  const held = bench.poll()
  await until(isHeld(bench))
  await bench.control.revoke()
  expect((await held).raw).toMatchObject({ ret: -14 })
  expect(await bench.send('any', 'x')).toMatchObject({ ret: -14 })
})

it('returns everything again, with the same ids, after a cursor reset', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ann, text: 'one' })
  const before = await bench.poll()
  const held = bench.poll(before.cursor)
  await until(isHeld(bench))
  await bench.control.injectFault({ kind: 'cursor_reset', method: 'getupdates' })
  // a held poll ends, so that the next one meets the fault
  const { raw, cursor } = await held
  expect(raw).toMatchObject({ ret: 0, msgs: [] })
  const again = await bench.poll(cursor)
  expect(again.messages).toEqual(before.messages)
  expect(again.cursor).not.toBe(before.cursor)
})

it('holds a poll longer than the client waits, whatever arrives', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  await bench.control.injectFault({ kind: 'hold', ms: 60_000 })
  const giveUp = new AbortController()
  const held = bench.poll('', { signal: giveUp.signal })
  await until(async () => (await bench.control.faults()).length === 0)
  await bench.control.say({ from: ann, text: 'hello' })
  giveUp.abort()
  await expect(held).rejects.toThrow('abort')
  expect(await bench.control.events()).toEqual([])
  expect(listTexts((await bench.poll()).messages)).toEqual(['hello'])
  expect(await bench.control.events()).toMatchObject([{ deliveries: 1 }])
})

const recordStatus: readonly [fault: WeixinFault, answer: Readonly<Record<string, unknown>>][] = [
  [{ kind: 'session_expired' }, { ret: -14, errcode: -14, errmsg: 'session timeout' }],
  [
    { kind: 'session_expired', field: 'errcode' },
    { errcode: -14, errmsg: 'session timeout' },
  ],
  [
    { kind: 'session_expired', field: 'ret' },
    { ret: -14, errmsg: 'session timeout' },
  ],
  [
    { kind: 'error', ret: -5, errmsg: 'odd' },
    { ret: -5, errmsg: 'odd' },
  ],
  [{ kind: 'empty_answer' }, {}],
]
it.each(recordStatus)('answers a poll as %j says, and the next as always', async (fault, answer) => {
  await using bench = await openBench()
  await bench.control.say({ from: ann, text: 'hello' })
  await bench.control.injectFault({ ...fault, method: 'getupdates' })
  expect((await bench.poll()).raw).toEqual(answer)
  expect(listTexts((await bench.poll()).messages)).toEqual(['hello'])
})

it('drops connections without losing a message', async () => {
  await using bench = await openBench()
  const held = bench.poll()
  await until(isHeld(bench))
  await bench.control.dropConnections()
  await expect(held).rejects.toThrow('fetch failed')
  await bench.control.say({ from: ann, text: 'hello' })
  expect(listTexts((await bench.poll()).messages)).toEqual(['hello'])
})

it('has direct chats only', async () => {
  await using bench = await openBench()
  await expect(bench.control.say({ from: ann, group: { id: 'g' }, text: 'x' })).rejects.toBeInstanceOf(RangeError)
})
