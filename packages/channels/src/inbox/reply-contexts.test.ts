import { migrate } from '@gatepost/sql'
import { testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import type { ReplyContext } from '../connection.ts'
import type { Refused } from '../message.ts'
import { Secret } from '../secret.ts'
import { channelMigrations } from '../storage/migrations.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { type Answering, direct, echoing, openWorld, said, START_MS, type World } from '../testing/bot-world.ts'
import { refused } from '../testing/fake-platform.ts'
import { sealedReplyContexts, createReplyContextSealer } from './reply-contexts.sql.ts'

const TOKEN = 'context-token-of-ann'
const NEEDED: Refused = { status: 'refused', code: 'no_context', detail: 'the person must write first' }
const hanging: Answering = async function* (_turn, signal) {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  yield { type: 'text', text: 'never' }
}

describe.each(testDatabases)('reply contexts on %s', (_name, open) => {
  let world: World
  let restored: ReplyContext[]
  /** A platform that knows no contexts but those that it is handed. */
  const make = async (answer: Answering = echoing): Promise<World> => {
    restored = []
    world = await openWorld(open, {
      answer,
      allowance: (chat, isReply) => {
        const knows = isReply === true && restored.some((one) => one.chat.id === chat.id)
        return { left: null, refused: knows ? null : NEEDED }
      },
      restoreContexts: (contexts) => void restored.push(...contexts),
    })
    return world
  }
  afterEach(() => world.close())
  const stored = async (): Promise<(string | null)[]> => (await world.messages()).map((row) => row.reply_context)
  const bodies = (): readonly string[] => world.platform.shown.map(({ body }) => body)

  it('let a process that takes over answer what a killed one had not, and are deleted then', async () => {
    await make(hanging)
    const first = await world.start()
    await first.workers.accept([said('hello', { replyContext: TOKEN })], null)
    await world.idle()
    const [sealed] = await stored()
    expect(sealed).toMatch(/^[0-9a-f]{16}\.[\w-]+$/)
    expect(Buffer.from(sealed?.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain(TOKEN)
    world.answer = echoing
    const second = await world.start()
    await second.workers.recover()
    await world.idle()
    expect(restored).toEqual([{ chat: direct('7'), context: TOKEN, sentAtMs: START_MS }])
    expect(bodies()).toEqual(['echo: hello'])
    expect(await stored()).toEqual([null])
    await second.workers.stop(AbortSignal.abort())
    await first.workers.stop(AbortSignal.abort())
  })

  it('outlive a process that was killed between storing a reply and sending it', async () => {
    await make()
    const first = await world.start()
    // its platform knows nobody: the reply waits
    await first.workers.accept([said('hello', { replyContext: TOKEN })], null)
    await world.idle()
    expect(await world.deliveries()).toMatchObject([{ state: 'queued', code: 'no_context' }])
    const second = await world.start()
    await second.workers.recover()
    await world.pass(10_000)
    expect(bodies()).toEqual(['echo: hello'])
    expect(await stored()).toEqual([null])
    await second.workers.stop(AbortSignal.abort())
    await first.workers.stop(AbortSignal.abort())
  })

  it.each<[why: string, script: Parameters<World['platform']['script']>[0]]>([
    ['delivered', 'ok'],
    ['refused for good', refused('content_rejected')],
    ['of unknown fate', 'lost'],
  ])('stay until the last part of the reply has an outcome: %s', async (_why, last) => {
    await make(async function* () {
      yield { type: 'text', text: 'word '.repeat(30) }
    })
    restored.push({ chat: direct('7'), context: TOKEN, sentAtMs: START_MS })
    const { workers } = await world.start()
    world.platform.script('ok', refused('rate_limited', { retryAfterMs: 5_000 }), last)
    await workers.accept([said('hello', { replyContext: TOKEN })], null)
    await world.idle()
    expect((await world.deliveries()).map(({ state }) => state)).toEqual(['delivered', 'queued'])
    expect(await stored()).toEqual([expect.any(String)])
    await world.pass(10_000)
    expect(await stored()).toEqual([null])
    await workers.stop(AbortSignal.abort())
  })

  it('do not let notifications through', async () => {
    await make(hanging)
    const first = await world.start()
    await first.workers.accept([said('hello', { replyContext: TOKEN })], null)
    const second = await world.start()
    await second.workers.recover()
    second.workers.outbox.push(await world.store('7', 'a reminder'))
    await world.idle()
    expect((await world.deliveries()).map(({ kind, code }) => [kind, code])).toEqual([['send', 'no_context']])
    expect(bodies()).toEqual([])
    await second.workers.stop(AbortSignal.abort())
    await first.workers.stop(AbortSignal.abort())
  })

  it('are not stored for messages that get no reply, nor when they are too long', async () => {
    await make(hanging)
    world.rules = { allowedUsers: ['7'] }
    const { workers } = await world.start()
    const stranger = said('let me in', { chat: direct('8'), replyContext: TOKEN })
    await workers.accept([stranger, said('hello', { replyContext: 'x'.repeat(8_193) })], null)
    expect(await stored()).toEqual([null, null])
    await workers.stop(AbortSignal.abort())
  })

  it('open with older keys, and are resealed with the newest one', async () => {
    await make(hanging)
    const { workers } = await world.start()
    await workers.accept([said('hello', { replyContext: TOKEN })], null)
    const [message] = await world.messages()
    const [newest, old] = [new Secret('a new key of 32 characters or more'), new Secret('the secret key of the tests')]
    const both = createReplyContextSealer([newest, old])
    expect(both.open(String(message?.reply_context), String(message?.id))).toBe(TOKEN)
    const table = sealedReplyContexts(world.database, both)
    expect(await table.count()).toBe(1)
    expect(await table.resealBatch(null, 10)).toEqual({ last: null, seen: 1, resealed: 1, unreadable: 0 })
    const [sealed] = await stored()
    expect(createReplyContextSealer([newest]).open(String(sealed), String(message?.id))).toBe(TOKEN)
    await workers.stop(AbortSignal.abort())
  })

  it('are of no use elsewhere: under another message, changed, or with another key', async () => {
    await make(hanging)
    const first = await world.start()
    const chats = ['1', '2', '3', '4'].map((id) => said(id, { chat: direct(id), replyContext: `token of ${id}` }))
    await first.workers.accept(chats, null)
    const rows = (await world.messages()).toSorted((a, b) => Number(a.text) - Number(b.text))
    const [one, two, three] = rows
    if (!one || !two || !three) throw new Error('messages are missing')
    const key = createReplyContextSealer([new Secret('another key of 32 characters or more')])
    const { db } = world.database
    const put = async (id: string, reply_context: string | null): Promise<void> =>
      void (await db.updateTable('message').set({ reply_context }).where('id', '=', id).execute())
    await put(one.id, two.reply_context)
    await put(two.id, 'no sealed text')
    await put(three.id, key.seal('token of 3', three.id))
    const second = await world.start()
    await second.workers.recover()
    expect(restored.map(({ context }) => context)).toEqual(['token of 4'])
    await second.workers.stop(AbortSignal.abort())
    await first.workers.stop(AbortSignal.abort())
  })
})

it.each(testDatabases)('messages stored before there were contexts have none, on %s', async (_name, open) => {
  const test = await open<ChannelTables>()
  const step = { owner: 'channels', nowMs: START_MS }
  const before = channelMigrations.slice(
    0,
    channelMigrations.findIndex(({ name }) => name === '0003_reply_contexts'),
  )
  try {
    const { db } = test.database
    await migrate(test.database, { ...step, migrations: before })
    await sql`insert into message values ('m', 'b', 'k', 'c', 1, '1', '7', null, 'hello', null, '[]', 'received', null, null, 0, 0, 0)`.execute(
      db,
    )
    await migrate(test.database, { ...step, migrations: channelMigrations })
    const rows = await db.selectFrom('message').select(['text', 'reply_context']).execute()
    expect(rows.map(({ text, reply_context }) => [text, reply_context])).toEqual([['hello', null]])
  } finally {
    await test.close()
  }
})
