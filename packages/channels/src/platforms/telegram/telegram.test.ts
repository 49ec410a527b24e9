import { expect, it, onTestFinished } from 'vitest'
import { describePlatform } from '../../contract/platform.contract.ts'
import type { Connection } from '../../connection.ts'
import { run, never, testIo, type TestIo } from '../wire/testing.ts'
import { telegram } from './platform.ts'
import { startTelegramWorld, telegramHarness, type TelegramWorld } from './telegram.contract.ts'

describePlatform('telegram', telegramHarness)

const chat = { id: '42', kind: 'direct' } as const
const part = { kind: 'text', deliveryId: 'a.1', chat, body: 'half an ans', plain: true } as const

async function open(): Promise<{ world: TelegramWorld; io: TestIo; connection: Connection }> {
  const world = await startTelegramWorld()
  onTestFinished(() => world.close())
  await world.say('hello')
  const io = testIo({ host: world.host })
  return { world, io, connection: telegram.connect(world.credentials, io) }
}

it('asks an old server for drafts once and then no more', async () => {
  const { world, connection } = await open()
  await world.control.configureBot({ old_server: true })
  expect(connection.can.draftFor?.(chat)).toBe(true)
  expect(await connection.can.draft?.(part, never)).toMatchObject({ status: 'refused', code: 'configuration' })
  expect(await connection.can.draft?.(part, never)).toMatchObject({ status: 'refused', code: 'configuration' })
  expect(connection.can.draftFor?.(chat)).toBe(false)
  expect(await world.control.requests({ method: 'sendMessageDraft' })).toHaveLength(1)
})

it('draws no drafts in groups', async () => {
  const { connection } = await open()
  expect(connection.can.draftFor?.({ id: '-5', kind: 'group' })).toBe(false)
})

it('does not read files of a server that keeps them on its own disk', async () => {
  const { world, connection } = await open()
  await world.sayFile(new Uint8Array([1]))
  await world.control.configureBot({ local_directory: '/var/lib/bot' })
  const { messages, until } = run(connection)
  await until(() => messages.some(({ media }) => media.length > 0))
  const ref = messages.flatMap(({ media }) => media)[0]?.ref ?? ''
  await expect(connection.can.fetchMedia?.({ kind: 'file', ref }, never)).rejects.toMatchObject({
    code: 'media_unavailable',
    message: expect.stringContaining('--local') as unknown,
  })
})

it('sends as a document what is refused as a picture', async () => {
  const { world, connection } = await open()
  await world.control.injectFault({
    kind: 'error',
    code: 400,
    description: 'Bad Request: PHOTO_INVALID_DIMENSIONS',
    method: 'sendPhoto',
  })
  const file = {
    kind: 'file',
    deliveryId: 'a.2',
    chat,
    name: 'wide.png',
    mime: 'image/png',
    path: import.meta.filename,
  } as const
  expect(await connection.send(file, never)).toMatchObject({ status: 'delivered' })
  expect((await world.shown(chat)).map(({ files }) => files)).toEqual([['wide.png']])
})

it.each(['shown', 'lost'] as const)('never edits a message to learn the fate of one: %s', async (how) => {
  const { world, io, connection } = await open()
  const receiver = run(connection)
  await receiver.message('hello')
  const mark = connection.can.findSent?.mark(part) ?? ''
  expect(await world.lose(how)).toBe(true)
  expect(await connection.send(part, never)).toMatchObject({ status: 'unknown' })
  // another program with the same token
  const body = JSON.stringify({ chat_id: 42, text: 'Backup complete' })
  const headers = { 'content-type': 'application/json' }
  const url = `${world.url}/bot${world.credentials.bot_token}/sendMessage`
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
  await io.clock.advance(60_000)
  expect(await connection.can.findSent?.find(part, mark, [], never)).toMatchObject({ found: 'undecided' })
  const texts = (await world.shown(chat)).map(({ text }) => text)
  expect(texts).toEqual(how === 'shown' ? [part.body, 'Backup complete'] : ['Backup complete'])
  expect(await world.control.requests({ method: 'editMessageText' })).toEqual([])
})

it('sends a message again that was certainly not delivered', async () => {
  const { world, io, connection } = await open()
  const receiver = run(connection)
  await receiver.message('hello')
  const mark = connection.can.findSent?.mark(part) ?? ''
  await world.lose('lost')
  expect(await connection.send(part, never)).toMatchObject({ status: 'unknown' })
  await io.clock.advance(3_000)
  const next = { ...part, deliveryId: 'b.1', body: 'to somebody else', chat: { id: '43', kind: 'direct' } } as const
  await world.control.say({ from: { id: 43, first_name: 'Ben' }, text: 'hi' })
  await receiver.message('hi')
  expect(await connection.send(next, never)).toMatchObject({ status: 'delivered' })
  expect(await connection.can.findSent?.find(part, mark, [], never)).toEqual({ found: 'absent' })
})

it('does not send what is stopped before it began', async () => {
  const { world, connection } = await open()
  expect(await connection.send(part, AbortSignal.abort())).toMatchObject({ status: 'refused', code: 'network' })
  expect(await world.control.requests({ method: 'sendMessage' })).toEqual([])
})
