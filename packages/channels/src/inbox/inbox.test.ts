import type { UnreachableCode } from '../contacts/unreachable.ts'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createLists } from '../storage/lists.ts'
import type { InboundEvent } from '../message.ts'
import { BOT, direct, openWorld, said, type World, type WorldOptions } from '../testing/bot-world.ts'

const GROUP = { id: 'g', kind: 'group' } as const

describe.each(testDatabases)('accepting messages on %s', (_name, open) => {
  let world: World
  const make = async (options: WorldOptions = {}): Promise<World> => (world = await openWorld(open, options))
  afterEach(() => world.close())
  const texts = async (): Promise<readonly string[]> => (await world.messages()).map(({ text }) => text)

  it('stores each message once: within a batch, across batches and across processes', async () => {
    await make()
    const first = await world.start()
    const message = said('once', { key: 'same' })
    await first.workers.accept([message, { ...message, text: 'again' }, said('two')], '1')
    await first.workers.accept([message], '2')
    const second = await world.start()
    await second.workers.accept([message, said('three')], '3')
    await world.idle()
    expect(await texts()).toEqual(['once', 'two', 'three'])
    expect((await world.messages()).map(({ position }) => position)).toEqual([1, 2, 3])
    expect(world.metrics.received).toBe(3)
    expect(await second.workers.cursor()).toBe('3')
  })

  it('keeps the messages of two bots apart, keys and all', async () => {
    await make()
    const { workers } = await world.start()
    await world.database.db
      .insertInto('message')
      .values({
        id: 'other',
        bot: 'somebody/telegram/2',
        dedupe_key: 'same',
        conversation_id: 'other',
        position: 1,
        platform_message_id: '1',
        user_id: '1',
        user_name: null,
        text: 'other',
        quoted: null,
        files_json: '[]',
        state: 'answered',
        reason: null,
        turn_id: null,
        sent_at_ms: 0,
        received_at_ms: 0,
        answer_after_ms: 0,
        reply_context: null,
      })
      .execute()
    await workers.accept([said('mine', { key: 'same' })], null)
    expect(await texts()).toContain('mine')
  })

  it.each(['insert into "message"', 'insert into "bot"', 'insert into "contact"'])(
    'stores all of a batch and the cursor, or nothing: %s fails',
    async (statement) => {
      await make()
      const { workers } = await world.start()
      await workers.accept([said('before')], '1')
      world.watched.failing = (sql) => sql.startsWith(statement)
      await expect(workers.accept([said('a'), said('b')], '2')).rejects.toMatchObject({ code: 'database_unavailable' })
      world.watched.failing = null
      expect(await texts()).toEqual(['before'])
      expect(await workers.cursor()).toBe('1')
    },
  )

  it('stores the cursor of an empty batch', async () => {
    await make()
    const { workers } = await world.start()
    expect(await workers.cursor()).toBe(null)
    await workers.accept([], 'next')
    expect(await workers.cursor()).toBe('next')
  })

  it('stores who may not ask, and does not answer; does not store what is not meant for the bot', async () => {
    await make({ rules: { allowedUsers: ['7'] } })
    const { workers } = await world.start()
    await workers.accept(
      [
        said('let me in', { chat: direct('8') }),
        said('talk', { chat: GROUP, addressed: false, from: { id: '7' } }),
        said('allowed', { chat: direct('7') }),
      ],
      null,
    )
    await world.idle()
    const stored = (await world.messages()).map(({ text, state, reason }) => [text, state, reason])
    expect(stored).toHaveLength(2)
    expect(stored).toContainEqual(['allowed', 'answered', null])
    expect(stored).toContainEqual(['let me in', 'ignored', 'not_allowed'])
    expect(world.platform.shown.map(({ body }) => body)).toEqual(['echo: allowed'])
    expect(world.metrics).toMatchObject({ received: 1, ignored: 1 })
    expect(await createLists(world.database).users(BOT, ['7'], () => null)).toMatchObject([
      { user_id: '7' },
      { user_id: '8' },
    ])
  })

  it.each([
    ['allowed', ['Ann: not_allowed', 'Bo: null']],
    ['everybody', ['Ann: null', 'Bo: null']],
    ['nobody', ['Ann: groups_not_answered', 'Bo: groups_not_answered']],
  ] as const)(
    'answers in groups as the policy %s says, and privately whom the list names',
    async (groupPolicy, asked) => {
      await make({ rules: { allowedUsers: ['7'], groupPolicy } })
      const { workers } = await world.start()
      const inGroup = (id: string, name: string) =>
        said(`${name} in the group`, { chat: GROUP, addressed: true, from: { id, name } })
      await workers.accept([inGroup('8', 'Ann'), inGroup('7', 'Bo'), said('privately', { chat: direct('8') })], null)
      await world.idle()
      const stored = (await world.messages()).map(
        ({ text, reason }) => `${text.replace(' in the group', '')}: ${reason}`,
      )
      expect(stored.toSorted()).toEqual([...asked, 'privately: not_allowed'])
    },
  )

  it('takes an edit that comes before the answer, and only corrects the record afterwards', async () => {
    await make()
    const { workers } = await world.start()
    const message = said('helo', { settleMs: 1_000 })
    const edit = (text: string): InboundEvent => ({
      type: 'edit',
      key: message.key,
      messageId: '1',
      chat: direct('7'),
      text,
    })
    await workers.accept([message, edit('hello')], null)
    await world.pass(2_000)
    expect(world.platform.bodies('7')).toEqual(['echo: hello'])
    await workers.accept([edit('hello!')], null)
    await world.pass(2_000)
    expect(await texts()).toEqual(['hello!'])
    expect(world.platform.bodies('7')).toEqual(['echo: hello'])
  })

  it('knows who can be written to', async () => {
    await make()
    const { workers } = await world.start()
    const reach = (
      chat: { id: string; kind: 'direct' | 'group' },
      unreachable: UnreachableCode | null,
    ): InboundEvent => ({
      type: 'reachability',
      key: 'r',
      person: { id: '7' },
      chat,
      unreachable,
    })
    const users = async (): Promise<unknown> =>
      (await createLists(world.database).users(BOT, [], () => null)).map(({ reachable, reason, reason_code }) => [
        reachable,
        reason,
        reason_code,
      ])
    await workers.accept([said('hi', { chat: GROUP, from: { id: '7' } })], null)
    expect(await users()).toEqual([[false, "hasn't messaged the bot directly", 'no_direct_chat']])
    await workers.accept([reach(direct('7'), null)], null)
    expect(await users()).toEqual([[true, null, null]])
    await workers.accept([reach(direct('7'), 'bot_blocked')], null)
    await workers.accept([said('from the group', { chat: GROUP, from: { id: '7' } })], null)
    expect(await users()).toEqual([[false, 'The bot was blocked or removed.', 'bot_blocked']])
    await workers.accept([said('directly')], null)
    expect(await users()).toEqual([[true, null, null]])
  })

  it.each([
    ['the new chat is unknown', false],
    ['both were used', true],
  ])('moves a chat and what waits for it: %s', async (_why, both) => {
    await make()
    const { workers } = await world.start()
    const to = { id: 'supergroup', kind: 'group' } as const
    await workers.accept([said('old', { chat: GROUP }), ...(both ? [said('new', { chat: to })] : [])], null)
    await world.idle()
    await world.store('g', 'waits')
    await workers.accept([{ type: 'chat_moved', key: 'x', chat: GROUP, toChatId: to.id }], null)
    await workers.outbox.sweep()
    await world.idle()
    expect(world.platform.bodies(to.id)).toEqual([...(both ? ['echo: new'] : []), 'waits'])
    await workers.accept([said('after', { chat: to })], null)
    await world.idle()
    // the history of the new id goes on; that of the old one came along when it could
    expect(world.asked.at(-1)?.messages.map(({ text }) => text)).toEqual(
      both ? ['new', 'echo: new', 'after'] : ['old', 'echo: old', 'after'],
    )
  })

  it('stores what no database takes as it is, cleaned, with the rest of its batch', async () => {
    await make()
    const { workers } = await world.start()
    const nasty = said('a\0b\ud83d', {
      from: { id: '7', name: 'N\0' },
      quoted: { text: 'q\0' },
      chat: { ...direct('7'), title: 't\0' },
      media: [{ kind: 'file', ref: 'r', name: 'n\0.txt' }],
    })
    await workers.accept([said('before'), nasty, said('after')], '5')
    expect(await texts()).toEqual(['before', 'ab\ufffd', 'after'])
    await workers.accept([nasty, { type: 'edit', key: nasty.key, messageId: '1', chat: direct('7'), text: 'c\0' }], '6')
    await world.until(async () => (await world.messages()).every(({ state }) => state === 'answered'))
    expect(await texts()).toEqual(['before', 'c', 'after'])
  })

  it('refuses to write once another process has taken over, and says so', async () => {
    await make()
    const first = await world.start()
    await world.start()
    await expect(first.workers.accept([said('late')], '9')).rejects.toMatchObject({ code: 'lease_lost' })
    expect(first.leaseLost.length).toBeGreaterThan(0)
    expect(await texts()).toEqual([])
    expect(await first.workers.cursor()).toBe(null)
  })

  it('takes a thousand messages at once, lists them newest first, and answers each conversation once', async () => {
    await make()
    const { workers } = await world.start()
    const batch = Array.from({ length: 1_000 }, (_, n) => said(`m${n}`, { chat: direct(`u${n % 10}`) }))
    await workers.accept(batch, 'end')
    await workers.accept(batch, 'end')
    const stored = await world.messages()
    expect(stored).toHaveLength(1_000)
    for (let user = 0; user < 10; user++) {
      const own = stored.filter((row) => row.user_id === `u${user}`)
      expect(own.map(({ position }) => position)).toEqual(own.map((_, index) => index + 1))
    }
    const seen: string[] = []
    const lists = createLists(world.database)
    for (let before: string | null = null; ; ) {
      const page = await lists.messages(BOT, { limit: 300, before })
      seen.push(...page.items.map(({ text }) => text))
      before = page.next
      if (before === null) break
    }
    expect(seen).toEqual(batch.map(({ text }) => text).toReversed())
    await world.until(async () => (await world.messages()).every(({ state }) => state === 'answered'))
  })
})
