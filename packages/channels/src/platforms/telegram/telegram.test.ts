import { expect, it, onTestFinished } from 'vitest'
import { describePlatform } from '../../platform.contract.ts'
import type { Connection } from '../../connection.ts'
import { manualClock } from '../../testing/clock.ts'
import { telegram } from './platform.ts'
import { startTelegramWorld, telegramHarness, type TelegramWorld } from './telegram.contract.ts'

describePlatform('telegram', telegramHarness)

const never = new AbortController().signal
const quiet = (): void => undefined
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
const chat = { id: '42', kind: 'direct' } as const
const part = { kind: 'text', deliveryId: 'a.1', chat, body: 'half an ans', plain: true } as const

async function open(): Promise<{ world: TelegramWorld; connection: Connection }> {
  const world = await startTelegramWorld()
  onTestFinished(() => world.close())
  const io = { fetch: globalThis.fetch, clock: manualClock(Date.now()), random: () => 0, log, host: world.host }
  await world.say('hello')
  return { world, connection: telegram.connect(world.credentials, io) }
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
  const aborter = new AbortController()
  const arrived = Promise.withResolvers<string>()
  await world.sayFile(new Uint8Array([1]))
  await world.control.configureBot({ local_directory: '/var/lib/bot' })
  const inbox = {
    cursor: () => Promise.resolve(null),
    lastHeardMs: () => Promise.resolve(null),
    chats: () => Promise.resolve([]),
    async accept(batch: readonly { type: string }[]) {
      for (const event of batch)
        if ('media' in event && JSON.stringify(event.media) !== '[]') arrived.resolve(JSON.stringify(event))
    },
    named: quiet,
    alive: quiet,
    degraded: quiet,
    gap: quiet,
  }
  const run = connection.run(inbox, aborter.signal)
  const ref = /"ref":"([^"]+)"/.exec(await arrived.promise)?.[1] ?? ''
  await expect(connection.can.fetchMedia?.({ kind: 'file', ref }, never)).rejects.toMatchObject({
    code: 'media_unavailable',
    message: expect.stringContaining('--local') as unknown,
  })
  aborter.abort()
  await run
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

it('does not send what is stopped before it began', async () => {
  const { world, connection } = await open()
  expect(await connection.send(part, AbortSignal.abort())).toMatchObject({ status: 'refused', code: 'network' })
  expect(await world.control.requests({ method: 'sendMessage' })).toEqual([])
})
