import { expect, it } from 'vitest'
import { manualClock, openBench } from './wire-client.ts'

const FIRST = 700_000_001

it('hands unconfirmed updates over again with the same ids, and confirmed ones never', async () => {
  await using bench = await openBench({ clock: manualClock() })
  for (const text of ['one', 'two', 'three']) await bench.control.say({ from: 42, text })
  expect(await bench.poll()).toEqual([FIRST, FIRST + 1, FIRST + 2])
  expect(await bench.poll({ offset: FIRST, limit: 2 })).toEqual([FIRST, FIRST + 1])
  expect(await bench.poll({ offset: FIRST + 2 })).toEqual([FIRST + 2])
  expect(await bench.poll()).toEqual([FIRST + 2])
  const { pending, confirmed } = await bench.control.updates()
  expect(confirmed.map(({ update, deliveries }) => [update.update_id, deliveries])).toEqual([
    [FIRST, 2],
    [FIRST + 1, 2],
  ])
  expect(pending.map(({ update }) => update.update_id)).toEqual([FIRST + 2])
})

const offsets: readonly [why: string, offset: number, given: readonly number[]][] = [
  ['offset -1 gives the last one and forgets the others', -1, [FIRST + 2]],
  ['offset -2 gives the last two', -2, [FIRST + 1, FIRST + 2]],
  ['a negative offset beyond the number gives all', -9, [FIRST, FIRST + 1, FIRST + 2]],
  ['an offset of another numbering confirms nothing', FIRST + 500, [FIRST, FIRST + 1, FIRST + 2]],
  ['an offset up to 10 above the next id confirms all', FIRST + 3 + 10, []],
  ['an offset 11 above the next id confirms nothing', FIRST + 3 + 11, [FIRST, FIRST + 1, FIRST + 2]],
  ['offset 1, with which grammy begins, confirms nothing', 1, [FIRST, FIRST + 1, FIRST + 2]],
]
it.each(offsets)('%s', async (_why, offset, given) => {
  await using bench = await openBench()
  for (const text of ['one', 'two', 'three']) await bench.control.say({ from: 42, text })
  expect(await bench.poll({ offset })).toEqual(given)
  expect(await bench.poll()).toEqual(given)
})

it('holds a poll until there is an update', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const held = bench.poll({ timeout: 50 })
  await clock.asleep()
  await bench.control.say({ from: 42, text: 'hello' })
  expect(await held).toEqual([FIRST])
})

it('confirms what comes below the offset of a held poll, and goes on holding it', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const held = bench.poll({ offset: FIRST + 1, timeout: 50 })
  await clock.asleep()
  await bench.control.say({ from: 42, text: 'below' })
  await bench.control.say({ from: 42, text: 'hello' })
  expect(await held).toEqual([FIRST + 1])
  expect((await bench.control.updates()).confirmed.map(({ deliveries }) => deliveries)).toEqual([0])
})

it('answers a held poll with nothing when its time is over, at most 50 s', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const held = bench.poll({ timeout: 500 })
  await clock.asleep()
  clock.advance(50_000)
  expect(await held).toEqual([])
})

it('holds a poll that repeats its offset at once for 3 s', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  expect(await bench.poll({ offset: 7 })).toEqual([])
  const held = bench.poll({ offset: 7, timeout: 1 })
  await clock.asleep()
  clock.advance(2_999)
  await bench.control.say({ from: 42, text: 'hello' })
  expect(await held).toEqual([FIRST])
})

it('ends the first poll with 409, three seconds later, when a second one comes', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const first = bench.call('getUpdates', { timeout: 50 })
  await clock.asleep()
  await bench.control.say({ from: 1, chat: -5, text: 'not for the bot' })
  const second = bench.call('getUpdates', { timeout: 40 })
  while (clock.asleepFor(3_000) === 0) await new Promise((resolve) => setImmediate(resolve))
  clock.advance(3_000)
  expect((await first).body).toEqual({
    ok: false,
    error_code: 409,
    description: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  })
  await bench.control.say({ from: 42, text: 'hello' })
  expect((await second).body['ok']).toBe(true)
})

it('refuses polls while a webhook is set, until it is deleted', async () => {
  await using bench = await openBench()
  await bench.result('setWebhook', { url: 'https://example.org/hook' })
  expect(await bench.call('getUpdates')).toMatchObject({
    status: 409,
    body: {
      description:
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    },
  })
  expect(await bench.result('getWebhookInfo')).toMatchObject({ url: 'https://example.org/hook' })
  await bench.result('deleteWebhook')
  expect(await bench.poll()).toEqual([])
})

it('remembers allowed_updates of an earlier poll', async () => {
  await using bench = await openBench()
  await bench.poll({ allowed_updates: ['edited_message'] })
  const toSayResult = await bench.control.say({ from: 42, text: 'helo' })
  expect(toSayResult.updateId).toBeNull()
  await bench.control.editUserMessage({ chatId: 42, messageId: toSayResult.messageId, text: 'hello' })
  expect((await bench.call('getUpdates')).body['result']).toMatchObject([
    {
      update_id: FIRST,
      edited_message: { message_id: toSayResult.messageId, text: 'hello', edit_date: expect.any(Number) },
    },
  ])
})

it('forgets updates that nobody fetched for 24 h', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  await bench.control.say({ from: 42, text: 'old' })
  clock.advance(24 * 60 * 60_000)
  await bench.control.say({ from: 42, text: 'new' })
  expect(await bench.poll()).toEqual([FIRST + 1])
})
