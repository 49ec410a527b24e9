import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { OutboundFilePart, Outcome } from '../../message.ts'
import { never, until } from '../wire/testing.ts'
import { createHourlyCounter } from './sender.ts'
import { ann, type Bot, startBot, textPart } from './testing.ts'
import { holdReplyTimers } from './testing-timers.ts'

const MINUTE_MS = 60_000
const getStreamId = (outcome: Outcome): string => (outcome.status === 'delivered' ? outcome.messageId : '')

/** Time goes on for the bot too: each heartbeat is answered before the next. */
async function pass(bot: Bot, ms: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += 30_000) {
    const before = (await bot.frames('ping')).length
    await bot.clock.untilSleeping(1)
    await bot.clock.advance(30_000)
    await until(async () => (await bot.frames('ping')).length > before)
  }
  await bot.clock.untilSleeping(1)
}

/** The vendor's library gives up waiting for the reply as soon as the platform has withheld it. */
function expireWhenLost({ control }: Bot): void {
  const timers = holdReplyTimers()
  onTestFinished(() => timers.release())
  timers.expireWhen(async () => (await control.faults()).length === 0)
}

const shown = async (bot: Bot): Promise<readonly [text: string, unfinished: boolean][]> =>
  (await bot.control.sent({ chatId: 'ann' })).map(({ text, unfinished }) => [text, unfinished])

it('finishes a bubble before the platform takes no more, and says the rest in a message of its own', async () => {
  const bot = await startBot()
  await bot.hear('a long question')
  const part = textPart('First block.\n\nSecond bl', { live: true })
  const id = getStreamId(await bot.connection.send(part, never))
  await pass(bot, 5 * MINUTE_MS)
  await until(async () => (await shown(bot))[0]?.[1] === false)
  const { live: _, ...rest } = { ...part, body: 'First block.\n\nSecond block, at last.' }
  expect(await bot.connection.can.edit?.(rest, id, never)).toMatchObject({ code: 'reply_target_gone' })
  expect(await bot.connection.send(rest, never)).toMatchObject({ status: 'delivered' })
  expect(await shown(bot)).toEqual([
    ['First block.\n\n… *continues below*', false],
    ['Second block, at last.', false],
  ])
})

it('says everything in a message of its own when the bubble has no whole block', async () => {
  const bot = await startBot()
  await bot.hear('a long question')
  const part = textPart('One sen', { live: true })
  await bot.connection.send(part, never)
  await pass(bot, 5 * MINUTE_MS)
  await until(async () => (await shown(bot))[0]?.[1] === false)
  const { live: _, ...rest } = { ...part, body: 'One sentence.' }
  await bot.connection.send(rest, never)
  expect(await shown(bot)).toEqual([
    ['One sen\n\n… *continues below*', false],
    ['One sentence.', false],
  ])
})

it.each([846604, 846605, 846608])('pushes what cannot be a reply any more: %s', async (code) => {
  const bot = await startBot()
  await bot.hear('hello')
  await bot.control.injectFault({ kind: 'error', code, method: 'aibot_respond_msg' })
  expect(await bot.connection.send(textPart('answer'), never)).toMatchObject({ status: 'delivered' })
  expect(await bot.frames('aibot_send_msg')).toHaveLength(1)
  expect(await shown(bot)).toEqual([['answer', false]])
})

it('gives up a bubble that the platform has closed, and sends the answer anew', async () => {
  const bot = await startBot()
  await bot.hear('hello')
  const part = textPart('half', { live: true })
  const id = getStreamId(await bot.connection.send(part, never))
  await bot.control.injectFault({ kind: 'stream_life', ms: 0, times: null })
  const { live: _, ...whole } = { ...part, body: 'the whole' }
  expect(await bot.connection.can.edit?.(whole, id, never)).toMatchObject({ code: 'reply_target_gone' })
  expect(await bot.connection.send(whole, never)).toMatchObject({ status: 'delivered' })
  expect((await shown(bot)).at(-1)).toEqual(['the whole', false])
})

it('takes a conflict at the end of a bubble for what it is: the text is shown', async () => {
  const bot = await startBot()
  await bot.hear('hello')
  const part = textPart('half', { live: true })
  const id = getStreamId(await bot.connection.send(part, never))
  await bot.control.injectFault({ kind: 'error', code: 6000 })
  const { live: _, ...whole } = { ...part, body: 'the whole' }
  expect(await bot.connection.can.edit?.(whole, id, never)).toEqual({ status: 'delivered', messageId: id })
})

it('does not take a late answer to a preview for that to the end', async () => {
  const bot = await startBot()
  await bot.hear('hello')
  const part = textPart('half', { live: true })
  const id = getStreamId(await bot.connection.send(part, never))
  await bot.control.injectFault({ kind: 'slow', ms: 1_000 })
  expireWhenLost(bot)
  const preview = bot.connection.can.edit?.({ ...part, body: 'half and' }, id, never)
  expect(await preview).toMatchObject({ status: 'unknown' })
  await bot.control.injectFault({ kind: 'hang' })
  const { live: _, ...whole } = { ...part, body: 'the whole' }
  const end = bot.connection.can.edit?.(whole, id, never)
  await until(async () => (await bot.frames('aibot_respond_msg')).length === 3)
  await bot.clock.advance(1_000) // the answer to the preview comes, the frame after it never arrived
  expect(await end).toEqual({ status: 'delivered', messageId: id })
  expect(await shown(bot)).toEqual([['the whole', false]])
})

it('says once what is sent again because nobody could note that it was shown', async () => {
  const bot = await startBot()
  await bot.hear('hello')
  const part = textPart('the whole')
  const first = await bot.connection.send(part, never)
  expect(first).toMatchObject({ status: 'delivered' })
  expect(bot.connection.can.resend?.(part, bot.clock.now())).toBe(true)
  await bot.control.injectFault({ kind: 'error', code: 846608, method: 'aibot_respond_msg' })
  expect(await bot.connection.send(part, never)).toEqual(first)
  expect(await shown(bot)).toEqual([['the whole', false]])
})

it('does not take a late answer to a bubble closed early for that to a file', async () => {
  const bot = await startBot()
  await bot.hear('a long question')
  const part = textPart('First block.\n\nSecond bl', { live: true })
  await bot.connection.send(part, never)
  await pass(bot, 4 * MINUTE_MS)
  await bot.control.injectFault({ kind: 'swallow_ack', method: 'aibot_respond_msg' })
  expireWhenLost(bot)
  await pass(bot, MINUTE_MS)
  const { live: _, ...whole } = { ...part, body: 'First block.\n\nSecond block.' }
  await bot.connection.send(whole, never)
  await bot.connection.send(await file(100, 'a.x', 'text/plain'), never)
  expect(await bot.frames('aibot_send_msg')).toMatchObject([
    { body: { msgtype: 'markdown' } },
    { body: { msgtype: 'file' } },
  ])
})

it.each(['drop_before', 'drop_after'] as const)(
  'does not say the end of an answer again when its connection is gone: %s',
  async (kind) => {
    const bot = await startBot()
    await bot.hear('hello')
    const part = textPart('half', { live: true })
    const id = getStreamId(await bot.connection.send(part, never))
    await bot.control.injectFault({ kind })
    const { live: _, ...whole } = { ...part, body: 'the whole' }
    expect(await bot.connection.can.edit?.(whole, id, never)).toMatchObject({ status: 'unknown' })
    expect(bot.connection.can.editAgain?.(id)).toBe(false)
    await bot.alive(3)
    expect(bot.connection.can.editAgain?.(id)).toBe(false)
    expect(bot.connection.can.resend?.(part, bot.clock.now())).toBe(false)
  },
)

it('begins no bubble that could not be finished: without a message to answer, or for a notification', async () => {
  const bot = await startBot()
  await bot.alive(1)
  const now = bot.clock.now()
  expect(bot.connection.can.resend?.(textPart('x', { live: true }), now)).toBe(false)
  await bot.hear('hello')
  expect(bot.connection.can.resend?.(textPart('x', { live: true }), now)).toBe(true)
  expect(bot.connection.can.resend?.(textPart('x', { live: true }), now - 1)).toBe(false)
  expect(bot.connection.can.resend?.(textPart('x', { proactive: true }), now)).toBe(false)
})

it('shows once what was begun, lost its connection and is the whole answer now', async () => {
  const bot = await startBot()
  await bot.hear('hello')
  const part = textPart('the whole', { live: true })
  await bot.control.injectFault({ kind: 'drop_before', method: 'aibot_respond_msg' })
  expect(await bot.connection.send(part, never)).toMatchObject({ status: 'unknown' })
  await bot.alive(3)
  const id = getStreamId(await bot.connection.send(part, never))
  const { live: _, ...whole } = part
  expect(await bot.connection.can.edit?.(whole, id, never)).toEqual({ status: 'delivered', messageId: id })
  expect(await shown(bot)).toEqual([['the whole', false]])
})

it('pushes notifications though there is a message to answer, and never twice', async () => {
  const bot = await startBot()
  await bot.hear('hello')
  const part = textPart('done', { proactive: true })
  await bot.control.injectFault({ kind: 'drop_after', method: 'aibot_send_msg' })
  expect(await bot.connection.send(part, never)).toMatchObject({ status: 'unknown' })
  await bot.alive(3)
  expect(bot.connection.can.resend?.(part, bot.clock.now())).toBe(false)
  expect(await shown(bot)).toEqual([['done', false]])
})

it('says who must write first', async () => {
  const bot = await startBot()
  await bot.alive(1)
  const outcome = await bot.connection.send(textPart('x', { chat: { id: 'ben', kind: 'direct' } }), never)
  expect(outcome).toMatchObject({ code: 'recipient_unreachable', detail: /must write to the bot first/ })
})

it('stays below the limit of an hour by itself', async () => {
  const bot = await startBot()
  await bot.hear('hello')
  for (let i = 0; i < 1_000; i++) await bot.connection.send(textPart('x', { proactive: true }), never)
  expect(bot.connection.can.allowance?.(ann)).toMatchObject({
    refused: { code: 'quota_used_up', retryAfterMs: 60 * MINUTE_MS },
  })
  expect(bot.connection.can.allowance?.({ id: 'ben', kind: 'direct' })).toEqual({ left: null, refused: null })
})

async function file(size: number, name: string, mime: string): Promise<OutboundFilePart> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-wecom-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'f')
  await writeFile(path, Buffer.alloc(size, 7))
  const { deliveryId } = textPart('')
  return { kind: 'file', deliveryId, chat: ann, name, mime, path }
}

it.each([
  ['a large file in pieces', 1_300_000, 'application/pdf', 'file', 3],
  ['a picture', 2_000, 'image/png', 'image', 1],
  ['a picture that is too large for one', 10 * 1024 * 1024 + 1, 'image/jpeg', 'file', 21],
] as const)('sends %s', async (_what, size, mime, type, chunks) => {
  const bot = await startBot()
  await bot.hear('hello')
  expect(await bot.connection.send(await file(size, 'a.x', mime), never)).toMatchObject({ status: 'delivered' })
  expect(await bot.frames('aibot_upload_media_chunk')).toHaveLength(chunks)
  expect(await bot.frames('aibot_respond_msg')).toMatchObject([{ body: { msgtype: type } }])
  expect(await bot.control.sent()).toMatchObject([{ files: [{ name: 'a.x', size }] }])
})

it.each([4, 20 * 1024 * 1024 + 1])('refuses a file of %s bytes without asking', async (size) => {
  const bot = await startBot()
  await bot.hear('hello')
  const outcome = await bot.connection.send(await file(size, 'a.x', 'text/plain'), never)
  expect(outcome).toMatchObject({ status: 'refused', code: 'content_rejected' })
  expect(await bot.frames('aibot_upload_media_init')).toEqual([])
})

it('waits when too many files were brought, for nothing of them is shown', async () => {
  const bot = await startBot()
  await bot.hear('hello')
  await bot.control.injectFault({ kind: 'error', code: 45009, method: 'aibot_upload_media_finish' })
  const part = await file(100, 'a.x', 'text/plain')
  expect(await bot.connection.send(part, never)).toMatchObject({ code: 'rate_limited', retryAfterMs: MINUTE_MS })
  await bot.control.injectFault({ kind: 'drop_after', method: 'aibot_upload_media_finish' })
  expect(await bot.connection.send(part, never)).toMatchObject({ status: 'refused', code: 'network' })
  await bot.alive(3)
  expect(await bot.connection.send(part, never)).toMatchObject({ status: 'delivered' })
  expect(await bot.frames('aibot_send_msg')).toHaveLength(1)
})

const HOUR_MS = 60 * 60 * 1_000

it('lets the next send through an hour after the oldest that counts', () => {
  const count = createHourlyCounter(2)
  count.note('ann', 1_000)
  expect(count.waitFor('ann', 2_000)).toBe(0)
  count.note('ann', 2_000)
  expect(count.waitFor('ann', 3_000)).toBe(HOUR_MS - 2_000)
  expect(count.waitFor('ben', 3_000)).toBe(0)
  expect(count.waitFor('ann', HOUR_MS + 1_000)).toBe(0)
})

it('does not block a conversation for a day when the clock is set back by one', () => {
  const count = createHourlyCounter(1)
  count.note('ann', 25 * HOUR_MS)
  expect(count.waitFor('ann', HOUR_MS)).toBe(0)
})
