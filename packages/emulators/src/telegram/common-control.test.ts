import { expect, it } from 'vitest'
import { connectControl, CONTROL_OPERATIONS } from '../kit/control.ts'
import { manualClock, openBench } from './wire-client.ts'

const ANN = { id: '42', name: 'Ann' }

it('shows both sides of a chat in the words of all platforms', async () => {
  await using bench = await openBench()
  const control = connectControl(bench.url, '/control/common')
  const toSayResult = await control.say({ from: ANN, text: 'hello' })
  expect(toSayResult).toEqual({ chatId: '42', messageId: '1' })
  const { message_id } = await bench.result('sendMessage', {
    chat_id: 42,
    text: 'one',
    reply_parameters: { message_id: 1 },
  })
  await bench.result('editMessageText', { chat_id: 42, message_id, text: 'two' })
  expect(await control.sent({ chatId: '42' })).toMatchObject([
    {
      sequence: 1,
      chatId: '42',
      messageId: String(message_id),
      text: 'two',
      edits: 1,
      replyTo: '1',
      unfinished: false,
    },
  ])
  expect(await control.conversation({ chatId: '42' })).toMatchObject([
    { by: 'person', name: 'Ann', text: 'hello' },
    { by: 'bot', name: 'Gatepost', text: 'two', edited: true },
  ])
  expect(await control.requests({ method: 'sendmessage' })).toMatchObject([
    { method: 'sendMessage', target: 'POST /bot<token>/sendMessage', status: 200 },
  ])
})

it('counts deliveries, and says when they were confirmed', async () => {
  await using bench = await openBench()
  const { messageId } = await bench.common.say({ from: ANN, text: 'hello' })
  expect(await bench.common.events()).toEqual([])
  const [update = 0] = await bench.poll()
  expect(await bench.common.events()).toEqual([{ messageId, deliveries: 1, confirmedAtMs: null }])
  await bench.poll({ offset: update + 1 })
  expect(await bench.common.events()).toMatchObject([{ deliveries: 1, confirmedAtMs: expect.any(Number) }])
})

it('makes the same person and group of the same words, and mentions the bot', async () => {
  await using bench = await openBench()
  const group = { id: 'team', title: 'Team' }
  const first = await bench.common.say({ from: { id: 'ann' }, group, text: 'plain' })
  const second = await bench.common.say({ from: { id: 'ann' }, group, text: 'status?', mention: true })
  expect(second.chatId).toBe(first.chatId)
  expect((await bench.control.updates()).pending).toMatchObject([
    { update: { message: { text: '@gatepost_bot status?', chat: { id: Number(first.chatId), title: 'Team' } } } },
  ])
  expect(await bench.common.conversation({ chatId: first.chatId })).toHaveLength(2)
})

it('takes a file with words', async () => {
  await using bench = await openBench()
  const base64 = Buffer.from('x').toString('base64')
  await bench.common.say({ from: ANN, text: 'look', file: { kind: 'image', base64, announcedBytes: 9 } })
  expect((await bench.control.updates()).pending).toMatchObject([
    { update: { message: { caption: 'look', photo: [{ file_size: 9 }, { file_size: 9 }] } } },
  ])
  expect(await bench.common.conversation({ chatId: '42' })).toMatchObject([
    { text: 'look', files: [expect.any(String)] },
  ])
})

it('waits for messages of one chat, and shows who is typing', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  await bench.common.say({ from: ANN, text: 'hello' })
  await bench.common.say({ from: { id: '43' }, text: 'hello' })
  const waiting = bench.common.waitForSent({ chatId: '42' })
  await bench.result('sendMessage', { chat_id: 43, text: 'for the other' })
  await bench.result('sendMessage', { chat_id: 42, text: 'for Ann' })
  expect(await waiting).toMatchObject([{ text: 'for Ann' }])
  clock.advance(6_000)
  await bench.result('sendChatAction', { chat_id: 42, action: 'typing' })
  expect(await bench.common.typing()).toMatchObject([{ chatId: '42' }])
  clock.advance(5_000)
  expect(await bench.common.typing()).toEqual([])
})

it('has faults that keep to a chat, switches, and an end', async () => {
  await using bench = await openBench()
  await bench.common.say({ from: ANN, text: 'hello' })
  await bench.common.injectFault({ kind: 'blocked', chatId: '42' })
  expect(await bench.common.faults()).toMatchObject([{ spec: { kind: 'blocked', chatId: '42' }, left: 1 }])
  expect((await bench.call('sendMessage', { chat_id: 42, text: 'x' })).status).toBe(403)
  for (const { fault } of await bench.common.switches())
    await bench.common.clearFaults(await bench.common.injectFault(fault))
  expect(await bench.common.faults()).toEqual([])
  await expect(bench.common.scan({ act: 'scan' })).rejects.toThrow('no setup codes')
  expect(await bench.common.bot()).toMatchObject({ id: '4242424242', connected: false })
  await bench.common.revoke()
  expect((await bench.call('getMe')).status).toBe(401)
})

it('has every operation in both forms', async () => {
  await using bench = await openBench()
  expect(Object.keys(bench.common).toSorted()).toEqual([...CONTROL_OPERATIONS].toSorted())
  const response = await fetch(`${bench.url}/control/common/bot`, {
    method: 'POST',
    headers: { origin: 'https://example.org' },
  })
  expect(response.status).toBe(403)
})
