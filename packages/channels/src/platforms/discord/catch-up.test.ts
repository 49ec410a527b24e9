import { expect, it } from 'vitest'
import type { Chat, InboundEvent } from '../../message.ts'
import { manualClock } from '../../testing/clock.ts'
import { held, never } from '../wire/testing.ts'
import { catchUp, type CatchUp } from './catch-up.ts'
import { decodeMessage } from './decode.ts'
import { createDirectory } from './world.ts'
import type { Answer } from './outcome.ts'
import type { RestCall } from './sdk.ts'

const BOT = { id: '99', name: 'helper' }
const ROLE = '555'
const chats = ['201', '202'].map((id): Chat => ({ id, kind: 'group' }))

const said = (id: string, channelId: string, more: object = {}): object => ({
  id,
  channel_id: channelId,
  author: { id: '7', username: 'ann' },
  content: 'hello',
  type: 0,
  ...more,
})
const ok = (result: unknown): Answer => ({ ok: true, result })
const abortCause: Answer = { ok: false, failure: { kind: 'unanswered', detail: 'the connection failed' } }

function createWorld(
  answer: (path: string, signal: AbortSignal) => Promise<Answer> | Answer,
  more: Partial<CatchUp> = {},
) {
  const asked: string[] = []
  const events: InboundEvent[] = []
  const client = {
    apiUrl: 'https://discord.com/api',
    async call({ path }: RestCall, { signal }: { readonly signal: AbortSignal }) {
      asked.push(path)
      return answer(path, signal)
    },
    download: () => Promise.reject(new Error('nobody asks for files')),
  }
  const directory = createDirectory(client, BOT.id)
  const world: CatchUp = {
    client,
    clock: manualClock(Date.now()),
    chats,
    sinceMs: Date.now(),
    decode: (message, kind, role) =>
      decodeMessage(message, { bot: BOT, role, channelTitle: directory.channelTitle, kind }).event ?? null,
    roleAt: directory.roleAt,
    accept: async (batch) => void events.push(...batch),
    ...more,
  }
  return { world, asked, events }
}

it('stores nothing after its end when one of the chats cannot be read', async () => {
  const storing = Promise.withResolvers<void>()
  const disk = Promise.withResolvers<void>()
  const steps: string[] = []
  const answer = async (path: string): Promise<Answer> => {
    if (path.includes('/201/')) return ok(Array.from({ length: 100 }, (_, at) => said(String(1_000 + at), '201')))
    await storing.promise
    return abortCause
  }
  const { world, asked } = createWorld(answer, {
    async accept() {
      storing.resolve()
      await disk.promise
      steps.push('stored')
    },
  })
  const caught = catchUp(world, never).catch((error: unknown) => {
    steps.push('ended')
    return error
  })
  await storing.promise
  await new Promise((resolve) => setImmediate(resolve))
  disk.resolve()
  expect(await caught).toMatchObject({ code: 'network' })
  expect(steps).toEqual(['stored', 'ended'])
  expect(asked).toHaveLength(2)
})

it('ends without a complaint when it is stopped', async () => {
  const stop = new AbortController()
  const { world, events } = createWorld((_path, signal) => {
    setImmediate(() => stop.abort())
    return held(signal).catch(() => abortCause)
  })
  expect(await catchUp(world, stop.signal)).toMatchObject({ read: 0 })
  expect(events).toEqual([])
})

it('knows the bot by its role, and asks for it once for each server', async () => {
  const { world, asked, events } = createWorld((path) => {
    if (path === '/guilds/300/roles') return ok([null, { id: ROLE, tags: { bot_id: BOT.id } }])
    const channel = /^\/channels\/(\d+)(\/messages)?$/.exec(path)
    const id = channel?.[1] ?? ''
    if (channel?.[2] === undefined) return ok({ id, guild_id: '300' })
    return ok([said(`1${id}`, id, { content: `<@&${ROLE}> status?`, mention_roles: [ROLE] }), said(`2${id}`, id)])
  })
  expect(await catchUp({ ...world, chats: chats.slice(0, 1) }, never)).toEqual({ read: 1, unread: 0 })
  await catchUp({ ...world, chats: chats.slice(1) }, never)
  expect(events).toMatchObject([
    { text: 'status?', addressed: true },
    { text: 'hello', addressed: false },
    { text: 'status?', addressed: true },
    { text: 'hello', addressed: false },
  ])
  expect(asked.filter((path) => path === '/guilds/300/roles')).toHaveLength(1)
})
