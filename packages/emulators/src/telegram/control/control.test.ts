import { expect, it } from 'vitest'
import { openBench } from '../wire-client.ts'
import { connectTelegramControl } from './over-http.ts'
import { CONTROL_OPERATIONS } from './control.ts'
import type { SayOptions } from './say.ts'

const GROUP = -1001

const privacy: readonly [why: string, said: Partial<SayOptions>, reaches: boolean][] = [
  ['plain words', { text: 'hello all' }, false],
  ['a mention, in any case', { text: 'hello @Gatepost_Bot' }, true],
  ['a longer name that begins alike', { text: 'hello @gatepost_bot2' }, false],
  ['a command', { text: '/status' }, true],
  ['a command for this bot', { text: '/status@gatepost_bot now' }, true],
  ['a command for another bot', { text: '/status@other_bot' }, false],
  ['a caption with a mention', { photo: {}, caption: '@gatepost_bot look' }, true],
  ['an answer to the bot', { text: 'thanks', replyTo: 2 }, true],
  ['an answer to a person', { text: 'thanks', replyTo: 1 }, false],
]
it.each(privacy)('privacy mode, %s: reaches the bot: %3$s', async (_why, toSayResult, reaches) => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, chat: GROUP, text: 'first' })
  await bench.result('sendMessage', { chat_id: GROUP, text: 'second' })
  const { updateId } = await bench.control.say({ from: 42, chat: GROUP, ...toSayResult })
  expect(updateId !== null).toBe(reaches)
  await bench.control.configureBot({ can_read_all_group_messages: true })
  expect((await bench.control.say({ from: 42, chat: GROUP, text: 'plain' })).updateId).not.toBeNull()
})

it('gives mentions, topics, quotes and albums as the platform does', async () => {
  await using bench = await openBench()
  const control = connectTelegramControl(bench.url)
  await control.say({
    from: { id: 42, first_name: 'Ann', username: 'ann' },
    chat: GROUP,
    text: '😀 @gatepost_bot hi',
    topic: 9,
  })
  await control.say({ from: 42, text: 'one two' })
  await control.say({ from: 42, text: 'what?', replyTo: 1, quote: 'two' })
  const album = await control.say({ from: 42, album: [{}, {}], caption: 'both' })
  expect(album.messageIds).toHaveLength(2)
  const { body } = await bench.call('getUpdates')
  expect(body['result']).toMatchObject([
    {
      message: {
        from: { id: 42, is_bot: false, first_name: 'Ann', username: 'ann' },
        message_thread_id: 9,
        is_topic_message: true,
        entities: [{ type: 'mention', offset: 3, length: 13 }],
      },
    },
    {},
    { message: { reply_to_message: { text: 'one two' }, quote: { text: 'two', position: 4 } } },
    { message: { caption: 'both', media_group_id: expect.any(String) } },
    { message: { media_group_id: expect.any(String) } },
  ])
})

it('tells the bot of a block and of its end', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  await bench.control.block({ chatId: 42 })
  expect((await bench.control.say({ from: 42, text: 'unheard' })).updateId).toBeNull()
  await bench.control.unblock({ chatId: 42 })
  const { pending } = await bench.control.updates()
  expect(pending.flatMap(({ update }) => update.my_chat_member?.new_chat_member.status ?? [])).toEqual([
    'kicked',
    'member',
  ])
})

it('keeps several bots apart', async () => {
  await using bench = await openBench()
  const other = await bench.control.createBot({ username: 'other_bot', name: 'Other' })
  await bench.control.say({ bot: other.id, from: 42, text: 'hello' })
  expect(await bench.poll()).toEqual([])
  expect((await bench.control.updates({ bot: other.id })).pending).toHaveLength(1)
  expect((await bench.call('sendMessage', { chat_id: 42, text: 'x' })).status).toBe(400)
})

it('waits for messages of the bot', async () => {
  await using bench = await openBench()
  const control = connectTelegramControl(bench.url)
  await control.say({ from: 42, text: 'hello' })
  const waiting = control.waitForSent({ afterSequence: 0, count: 2 })
  for (const text of ['one', 'two']) await bench.result('sendMessage', { chat_id: 42, text })
  expect((await waiting).map(({ text }) => text)).toEqual(['one', 'two'])
  expect(await control.waitForSent({ afterSequence: 2, timeoutMs: 0 })).toEqual([])
})

it('records what came over the wire', async () => {
  await using bench = await openBench()
  await bench.call('getMe', { odd: 1 })
  expect(await bench.control.requests({ method: 'getme' })).toMatchObject([
    {
      sequence: 1,
      httpMethod: 'POST',
      method: 'getMe',
      body: '{"odd":1}',
      status: 200,
      headers: { 'content-type': 'application/json' },
    },
  ])
})

it('has every operation in both forms', async () => {
  await using bench = await openBench()
  expect(Object.keys(bench.control).toSorted()).toEqual([...CONTROL_OPERATIONS].toSorted())
  expect(Object.keys(connectTelegramControl(bench.url)).toSorted()).toEqual([...CONTROL_OPERATIONS].toSorted())
})

const strangers: readonly [why: string, path: string, init: RequestInit, status: number][] = [
  ['another site', 'bots', { method: 'POST', headers: { origin: 'https://example.org' } }, 403],
  ['no JSON', 'bots', { method: 'POST', body: 'x' }, 415],
  ['broken JSON', 'bots', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }, 400],
  ['no such operation', 'constructor', { method: 'POST', headers: { 'content-type': 'application/json' } }, 404],
  ['a read', 'bots', {}, 405],
  [
    'a bot that is not there',
    'sent',
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"bot":1}' },
    400,
  ],
]
it.each(strangers)('refuses over HTTP: %s', async (_why, path, init, status) => {
  await using bench = await openBench()
  expect((await fetch(`${bench.url}/control/${path}`, init)).status).toBe(status)
})

it('streams what happens', async () => {
  await using bench = await openBench()
  const response = await fetch(`${bench.url}/control/events`)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  await reader?.read()
  await bench.control.say({ from: 42, text: 'hello' })
  expect((await reader?.read())?.value).toBe('data: {"type":"message","chatId":42,"messageId":1}\n\n')
  await reader?.cancel()
})
