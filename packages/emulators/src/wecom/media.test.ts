import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { type BotSocket, type Frame, openBench } from './testing-bot.ts'

const MB = 1024 * 1024
const bytes = Buffer.from('hello, chatStore')
const md5 = createHash('md5').update(bytes).digest('hex')
const INIT = { type: 'file', filename: 'a.txt', total_size: bytes.length, total_chunks: 2, md5 }

const init = (bot: BotSocket, more: Readonly<Record<string, unknown>> = {}): Promise<Frame> =>
  bot.call('aibot_upload_media_init', { ...INIT, ...more })
const chunk = (bot: BotSocket, id: unknown, index: number, content: Uint8Array): Promise<Frame> =>
  bot.call('aibot_upload_media_chunk', {
    upload_id: id,
    chunk_index: index,
    base64_data: Buffer.from(content).toString('base64'),
  })
const finish = (bot: BotSocket, id: unknown): Promise<Frame> => bot.call('aibot_upload_media_finish', { upload_id: id })

it.each([0, 1])('puts pieces counted from %i together in any order, repeated, over two connections', async (from) => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.hear(bot)
  const { upload_id: id } = (await init(bot)).body
  await chunk(bot, id, from + 1, bytes.subarray(5))
  await bench.control.dropConnections()
  await bot.closed
  const next = await bench.subscribe()
  await chunk(next, id, from + 1, bytes.subarray(5))
  expect(await finish(next, id)).toMatchObject({ errcode: 40058 })
  await chunk(next, id, from, bytes.subarray(0, 5))
  const { body } = await finish(next, id)
  expect(body).toMatchObject({ type: 'file', media_id: expect.any(String), created_at: expect.any(Number) })
  const message = { chatid: 'zhang', msgtype: 'file', file: { media_id: body['media_id'] } }
  expect(await next.call('aibot_send_msg', message)).toMatchObject({ errcode: 0 })
  expect(await next.call('aibot_send_msg', { ...message, msgtype: 'image', image: message.file })).toMatchObject({
    errcode: 40058,
  })
  expect(await bench.control.sent()).toMatchObject([{ files: [{ name: 'a.txt', base64: bytes.toString('base64') }] }])
})

it.each([
  ['a file above 20 MB', { total_size: 20 * MB + 1 }, 40058],
  ['a picture above 10 MB', { type: 'image', total_size: 10 * MB + 1 }, 93018],
  ['a picture below 5 bytes', { type: 'image', total_size: 4 }, 93017],
  ['a voice above 2 MB', { type: 'voice', total_size: 2 * MB + 1 }, 40058],
  ['a file below 5 bytes', { total_size: 4 }, 40058],
  ['101 pieces', { total_chunks: 101 }, 40058],
  ['an unknown type', { type: 'text' }, 40058],
  ['no name', { filename: '' }, 40058],
] as const)('refuses %s', async (_why, wrong, errcode) => {
  await using bench = await openBench()
  expect(await init(await bench.subscribe(), wrong)).toMatchObject({ errcode })
})

it('refuses a piece above 512 KB, one of no upload, and a whole that differs', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  const { upload_id: id } = (await init(bot, { total_size: MB })).body
  expect(await chunk(bot, id, 0, Buffer.alloc(512 * 1024 + 1))).toMatchObject({ errcode: 40058 })
  expect(await chunk(bot, id, 0, Buffer.alloc(512 * 1024))).toMatchObject({ errcode: 0 })
  expect(await chunk(bot, 'other', 0, bytes)).toMatchObject({ errcode: 40058 })
  const { upload_id: other } = (await init(bot, { total_chunks: 1, md5: '0'.repeat(32) })).body
  await chunk(bot, other, 0, bytes)
  expect(await finish(bot, other)).toMatchObject({ errcode: 40058 })
})

it('keeps an upload for 30 min and a file for 3 days', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const bot = await bench.subscribe()
  await bench.hear(bot)
  const { upload_id: slow } = (await init(bot)).body
  await clock.advance(30 * 60_000)
  expect(await chunk(bot, slow, 0, bytes)).toMatchObject({ errcode: 40058 })
  const { upload_id: id } = (await init(bot, { total_chunks: 1 })).body
  await chunk(bot, id, 0, bytes)
  const file = { media_id: (await finish(bot, id)).body['media_id'] }
  const push = () => bot.call('aibot_send_msg', { chatid: 'zhang', msgtype: 'file', file })
  expect(await push()).toMatchObject({ errcode: 0 })
  await clock.advance(3 * 24 * 60 * 60_000)
  expect(await push()).toMatchObject({ errcode: 40058 })
})

it('takes 30 uploads a minute while limits are on', async () => {
  await using bench = await openBench({ clock: manualClock() })
  const bot = await bench.subscribe()
  await bench.control.injectFault({ kind: 'rate_limits', times: null })
  for (let count = 0; count < 30; count++) expect(await init(bot)).toMatchObject({ errcode: 0 })
  expect(await init(bot)).toMatchObject({ errcode: 45009 })
})
