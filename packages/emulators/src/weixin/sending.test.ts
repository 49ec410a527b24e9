import { expect, it } from 'vitest'
import { manualClock, until } from '../kit/testing-clock.ts'
import type { WeixinEmulatorOptions } from './emulator.ts'
import type { WeixinFault } from './faults.ts'
import { type Bench, openBench } from './wire-client.ts'

const ann = { id: 'ann@im.wechat', name: 'Ann' }

/** An emulator to which Ann has written, and the token of her message. */
async function openChat(options: WeixinEmulatorOptions = {}): Promise<{ bench: Bench; token: unknown }> {
  const bench = await openBench(options)
  await bench.control.say({ from: ann, text: 'hello' })
  const { messages } = await bench.poll()
  return { bench, token: messages[0]?.['context_token'] }
}
const shownTexts = async (bench: Bench): Promise<readonly string[]> =>
  (await bench.control.sent()).map(({ text }) => text)

it('shows a message and answers with an id above 2^53 as a bare number', async () => {
  const { bench, token } = await openChat()
  await using _ = bench
  const answer = await bench.send(token, '**hi**')
  expect(answer).toEqual({ ret: 0, message_id: expect.stringMatching(/^\d{19}$/) })
  expect(await bench.control.sent()).toMatchObject([
    { chatId: ann.id, messageId: answer['message_id'], text: '**hi**', unfinished: false, replyTo: null },
  ])
})

it('lets ten sends through for one message and ten more for the next', async () => {
  const { bench, token } = await openChat()
  await using _ = bench
  for (let at = 1; at <= 10; at++) expect(await bench.send(token, `${at}`)).toMatchObject({ ret: 0 })
  expect(await bench.send(token, '11')).toEqual({ ret: -2 })
  await bench.control.say({ from: ann, text: 'again' })
  const newer = (await bench.poll((await bench.poll()).cursor)).messages[0]?.['context_token']
  expect(newer).not.toBe(token)
  expect(await bench.send(newer, '12')).toMatchObject({ ret: 0 })
  expect(await bench.send(token, '13')).toEqual({ ret: -2 })
  expect(await shownTexts(bench)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '12'])
})

it("refuses a token that is not this person's, unknown, or too old", async () => {
  const clock = manualClock()
  const { bench, token } = await openChat({ clock, contextLifeMs: 1_000 })
  await using _ = bench
  expect(await bench.send(token, 'x', { to: 'bob@im.wechat' })).toEqual({ ret: -2, errmsg: 'unknown error' })
  expect(await bench.send('made up', 'x')).toEqual({ ret: -2, errmsg: 'unknown error' })
  expect(await bench.send(undefined, 'x')).toEqual({ ret: -2, errmsg: 'unknown error' })
  await clock.advance(1_000)
  expect(await bench.send(token, 'x')).toEqual({ ret: -2, errmsg: 'prepare failed' })
  expect(await shownTexts(bench)).toEqual([])
})

const refused: readonly [fault: WeixinFault, answer: Readonly<Record<string, unknown>>][] = [
  [{ kind: 'refused' }, { ret: -2 }],
  [
    { kind: 'refused', errmsg: 'rate limited' },
    { ret: -2, errmsg: 'rate limited' },
  ],
  [
    { kind: 'refused', errmsg: 'prepare failed' },
    { ret: -2, errmsg: 'prepare failed' },
  ],
  [
    { kind: 'refused', errmsg: 'unknown error' },
    { ret: -2, errmsg: 'unknown error' },
  ],
  [{ kind: 'session_expired' }, { ret: -14, errcode: -14, errmsg: 'session timeout' }],
  [
    { kind: 'error', ret: -1, errmsg: 'odd' },
    { ret: -1, errmsg: 'odd' },
  ],
]
it.each(refused)('answers a send as %j says, without effect, and the next as always', async (fault, answer) => {
  const { bench, token } = await openChat({ sendsPerMessage: 1 })
  await using _ = bench
  await bench.control.injectFault({ ...fault, method: 'sendmessage', chatId: ann.id })
  expect(await bench.send(token, 'x')).toEqual(answer)
  expect(await shownTexts(bench)).toEqual([])
  expect(await bench.send(token, 'y')).toMatchObject({ ret: 0 })
  expect(await bench.control.faults()).toEqual([])
})

it('answers an empty object for success', async () => {
  const { bench, token } = await openChat()
  await using _ = bench
  await bench.control.injectFault({ kind: 'empty_answer', method: 'sendmessage' })
  expect(await bench.send(token, 'x')).toEqual({})
  expect(await shownTexts(bench)).toEqual(['x'])
})

const lost: readonly [fault: WeixinFault, error: string, shown: readonly string[]][] = [
  [{ kind: 'drop_before' }, 'fetch failed', []],
  [{ kind: 'drop_after' }, 'fetch failed', ['x']],
  [{ kind: 'bad_gateway' }, 'HTTP 502: <html>', []],
  [{ kind: 'server_error', status: 524 }, 'HTTP 524', []],
]
it.each(lost)('%j ends a send with %s', async (fault, error, shown) => {
  const { bench, token } = await openChat()
  await using _ = bench
  await bench.control.injectFault({ ...fault, method: 'sendmessage' })
  await expect(bench.send(token, 'x')).rejects.toThrow(error)
  expect(await shownTexts(bench)).toEqual(shown)
})

const wrong: readonly [why: string, item: Readonly<Record<string, unknown>>][] = [
  ['blank text', { type: 1, text_item: { text: ' \n' } }],
  ['text of 4001 UTF-16 units', { type: 1, text_item: { text: 'x'.repeat(4_001) } }],
  ['a file that was not uploaded', { type: 4, file_item: { media: { encrypt_query_param: 'x', encrypt_type: 1 } } }],
  ['an unknown item', { type: 99 }],
]
it.each(wrong)('refuses %s without counting it', async (_why, item) => {
  const { bench, token } = await openChat({ sendsPerMessage: 1 })
  await using _ = bench
  expect(await bench.send(token, '', { item })).toMatchObject({ ret: -1 })
  expect(await bench.send(token, 'y'.repeat(4_000))).toMatchObject({ ret: 0 })
})

it('does not show what is still being generated, nor two items of one call', async () => {
  const { bench, token } = await openChat()
  await using _ = bench
  const item = { type: 1, text_item: { text: 'x' } }
  const message = { to_user_id: ann.id, client_id: 'c', message_type: 2, context_token: token }
  expect(await bench.call('sendmessage', { msg: { ...message, message_state: 1, item_list: [item] } })).toMatchObject({
    ret: 0,
  })
  expect(
    await bench.call('sendmessage', { msg: { ...message, message_state: 2, item_list: [item, item] } }),
  ).toMatchObject({ ret: -1 })
  expect(await shownTexts(bench)).toEqual([])
})

it('shows typing with a ticket, until it is ended, the message comes, or it times out', async () => {
  const clock = manualClock()
  const { bench, token } = await openChat({ clock })
  await using _ = bench
  const { typing_ticket: ticket } = await bench.call('getconfig', { ilink_user_id: ann.id, context_token: token })
  const type = (status: number) => bench.call('sendtyping', { ilink_user_id: ann.id, typing_ticket: ticket, status })
  expect(await type(1)).toEqual({ ret: 0 })
  expect(await bench.control.typing()).toMatchObject([{ chatId: ann.id }])
  await type(2)
  expect(await bench.control.typing()).toEqual([])
  await type(1)
  await bench.send(token, 'x')
  expect(await bench.control.typing()).toEqual([])
  await type(1)
  await clock.advance(10_000)
  expect(await bench.control.typing()).toEqual([])
  expect(await bench.call('sendtyping', { ilink_user_id: ann.id, typing_ticket: 'wrong', status: 1 })).toMatchObject({
    ret: -2,
  })
  expect(await bench.call('getconfig', { ilink_user_id: ann.id, context_token: 'wrong' })).toMatchObject({ ret: -2 })
})

it('takes notices of start and stop', async () => {
  await using bench = await openBench()
  expect(await bench.call('msg/notifystart')).toEqual({ ret: 0 })
  expect(await bench.call('msg/notifystop')).toEqual({ ret: 0 })
  expect((await bench.control.requests()).map(({ method }) => method)).toEqual(['notifystart', 'notifystop'])
})

it('answers a slow call late', async () => {
  const clock = manualClock()
  const { bench, token } = await openChat({ clock })
  await using _ = bench
  await bench.control.injectFault({ kind: 'slow', ms: 9_000, method: 'sendmessage' })
  const sending = bench.send(token, 'x')
  await until(async () => (await bench.control.sent()).length === 1)
  expect((await bench.control.requests({ method: 'sendmessage' }))[0]?.status).toBe(0)
  await clock.advance(9_000)
  expect(await sending).toMatchObject({ ret: 0 })
})

const nonsense: readonly [why: string, fault: object][] = [
  ['a kind that does not exist', { kind: 'nonsense' }],
  ['a method that does not exist', { kind: 'refused', method: 'sendmesage' }],
  ['a method that it says nothing about', { kind: 'cursor_reset', method: 'sendmessage' }],
  ['a status that is no error of a server', { kind: 'server_error', status: 200 }],
]
it.each(nonsense)('refuses a fault with %s', async (_why, fault) => {
  await using bench = await openBench()
  await expect(bench.control.injectFault(fault as WeixinFault)).rejects.toBeInstanceOf(RangeError) // as over HTTP
})
