import { migrate } from '@gatepost/sql'
import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressedDelivery, conversationRecord, pageSchema, traffic, transcript } from '../api/history-shapes.ts'
import { channelMigrations } from '../storage/migrations.ts'
import type { PlatformId } from '../platform-names.ts'
import type { DeliveryState } from '../storage/records.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { manualClock } from '../testing/clock.ts'
import { preparedChannels } from '../testing/prepared-channels.ts'
import { createHistory } from './create-history.ts'
import type { ChannelHistory, ConversationsRequest, DeliveriesRequest } from './history.ts'
import { type Past, createPast } from './testing.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000
const never = new AbortController().signal
const BOTS: Readonly<Record<string, readonly { readonly platform: PlatformId; readonly bot: string }[]>> = {
  owner: [
    { platform: 'telegram', bot: 'owner/telegram/1' },
    { platform: 'discord', bot: 'owner/discord/2' },
  ],
  other: [{ platform: 'telegram', bot: 'other/telegram/9' }],
}

describe.each(testDatabases)('history on %s', (_name, open) => {
  let test: TestDatabase<ChannelTables>
  let history: ChannelHistory
  let telegram: Past
  let discord: Past

  beforeAll(async () => {
    test = await open(preparedChannels(NOW))
    const clock = manualClock(NOW)
    history = createHistory({
      database: test.database,
      clock,
      bots: (accountId) => Promise.resolve(BOTS[accountId] ?? []),
    })
    telegram = createPast(test.database, 'owner/telegram/1')
    discord = createPast(test.database, 'owner/discord/2')
    await store(telegram, discord)
    const others = createPast(test.database, 'other/telegram/9')
    await others.conversation('theirs')
    await others.message('theirs', NOW - MINUTE, { text: 'nobody else reads this', state: 'failed' })
    await others.delivery(NOW - MINUTE, 'nor this', { conversation_id: 'theirs', state: 'refused', dead: 1 })
    // of a bot whose credentials were forgotten
    await createPast(test.database, 'owner/telegram/0').conversation('former', { updated_at_ms: NOW })
  })
  afterAll(() => test.close())

  const conversations = (request: Partial<ConversationsRequest> = {}, account = 'owner') =>
    history
      .conversations(
        account,
        { limit: 50, before: null, platform: null, q: null, kind: null, state: null, ...request },
        never,
      )
      .then((page) => pageSchema(conversationRecord).parse(page))
  const getIds = async (request: Partial<ConversationsRequest>, account?: string): Promise<readonly string[]> =>
    (await conversations(request, account)).items.map(({ id }) => id)
  const deliveries = (request: Partial<DeliveriesRequest> = {}, account = 'owner') =>
    history
      .deliveries(account, { limit: 50, before: null, platform: null, dead: false, state: null, ...request })
      .then((page) => pageSchema(addressedDelivery).parse(page))

  it('lists conversations of all bots, newest activity first, with what was said last and by whom', async () => {
    const { items, next } = await conversations()
    expect(items.map(({ id }) => id)).toEqual(['group', 'ann', 'bob', 'silent'])
    expect(next).toBeNull()
    expect(items[0]).toEqual({
      id: 'group',
      platform: 'discord',
      chat: { id: 'chat group', kind: 'group', title: 'Garten & Größe' },
      people: [
        { user_id: '9', name: 'Кира' },
        { user_id: '8', name: 'Bob' },
        { user_id: '7', name: 'Ann' },
      ],
      last: { at: NOW - 2 * MINUTE, by: 'bot', name: 'Кира', text: 'An answer in the group' },
      waiting: 1,
      failed: 2,
    })
    expect(items[1]?.last).toEqual({ at: NOW - 5 * MINUTE, by: 'person', name: 'Ann', text: '😀'.repeat(200) })
    expect(items[2]?.last?.text).toBe('photo.png')
    expect(items[3]).toMatchObject({ people: [{ user_id: '70', name: 'Sil' }], last: null, waiting: 0, failed: 0 })
  })

  it.each<[string, Partial<ConversationsRequest>, readonly string[]]>([
    ['one platform', { platform: 'telegram' }, ['ann', 'bob', 'silent']],
    ['groups', { kind: 'group' }, ['group']],
    ['what waits', { state: 'waiting' }, ['group']],
    ['what failed: a message and a dead delivery', { state: 'failed' }, ['group']],
    ['a title, whatever the case', { q: 'GARTEN' }, ['group']],
    ['a name in letters that are not Latin', { q: 'КИРА' }, ['group']],
    ['letters beyond ASCII', { q: 'grÖße' }, ['group']],
    ['the text of a message', { q: 'ОБЛАКО над' }, ['bob']],
    ['the text of an answer, not its markup', { q: 'answer IN the' }, ['group']],
    ['nothing of the markup or of how it is stored', { q: '<b>' }, []],
    ['nor of its names', { q: 'plain' }, []],
    ['a literal, no pattern: percent', { q: '100%_' }, ['ann']],
    ['a literal: brackets, stars, points', { q: '[a*b?]^.+\\d' }, ['ann']],
    ['a literal: what would match anything', { q: '.*' }, []],
    ['a literal: a star', { q: 'message*' }, []],
    ['quotes', { q: `it's "so"` }, ['ann']],
    ['a character that no database stores', { q: 'it\u0000' }, ['ann']],
    ['half a character', { q: '\ud83d' }, []],
    ['a line break', { q: 'so"\nover' }, ['ann']],
    ['what others have said', { q: 'nobody else' }, []],
    ['several at once', { q: 'over', platform: 'telegram', kind: 'direct' }, ['ann']],
  ])('finds %s', async (_what, request, ids) => {
    expect(await getIds(request)).toEqual(ids)
  })

  it('shows nothing of one account to another', async () => {
    expect(await getIds({}, 'other')).toEqual(['theirs'])
    expect(await getIds({}, 'nobody')).toEqual([])
    expect((await deliveries({}, 'other')).items.map(({ text }) => text)).toEqual(['nor this'])
    for (const id of ['theirs', 'former', 'none', "' or 1=1 --"])
      await expect(history.conversation('owner', id, { limit: 5, before: null })).rejects.toThrow(
        expect.objectContaining({ code: 'unknown_conversation' }),
      )
    const { totals } = await history.traffic('nobody', { from: null, to: null })
    expect(totals).toMatchObject({ received: 0, answer_ms: null })
  })

  it('pages through conversations without a gap, whatever comes in meanwhile', async () => {
    const first = await conversations({ limit: 2 })
    await telegram.conversation('late', { updated_at_ms: NOW })
    const second = await conversations({ limit: 2, before: first.next })
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(['group', 'ann', 'bob', 'silent'])
    expect(second.next).toBeNull()
    expect(await getIds({ limit: 1, before: 'nobody was given this' })).toEqual(['late'])
    await test.database.db.deleteFrom('conversation').where('id', '=', 'late').execute()
  })

  it('shows both sides of a conversation by time, page by page, whatever comes in meanwhile', async () => {
    const all = transcript.parse(await history.conversation('owner', 'group', { limit: 50, before: null }))
    expect(all.items.map(getText)).toEqual([
      'An answer in the group',
      'Resent later',
      'from Кира',
      'from Bob',
      'Too late',
      'from Ann',
    ])
    expect(all.next).toBeNull()
    expect(all.conversation.id).toBe('group')
    const shown: string[] = []
    for (let before: string | null = null; shown.length < 6; ) {
      const page = await history.conversation('owner', 'group', { limit: 1, before })
      shown.push(...page.items.map(getText))
      before = page.next
      // newer than the whole conversation, on both sides
      await discord.delivery(NOW - 1_000, 'new', { conversation_id: 'group' })
      await discord.message('group', NOW - 1_000, { text: 'new' })
    }
    expect(shown).toEqual(all.items.map(getText))
    await test.database.db
      .deleteFrom('message')
      .where('received_at_ms', '=', NOW - 1_000)
      .execute()
    await test.database.db
      .deleteFrom('delivery')
      .where('updated_at_ms', '=', NOW - 1_000)
      .execute()
  })

  it('lists the deliveries of all bots, by state, with whom they are for', async () => {
    const { items } = await deliveries()
    expect(items.map(textOfDelivery)).toEqual([
      'discord An answer in the group',
      'telegram Still typing',
      'telegram To be sent',
      'discord Resent later',
      'discord Too late',
      'telegram Before anything was written',
    ])
    expect(items[0]).toMatchObject({ to: { user_id: '9', name: null }, conversation_id: 'group' })
    expect(items[1]).toMatchObject({ to: { user_id: '70', name: 'Sil' }, state: 'sending' })
    const byState: readonly [DeliveryState, number][] = [
      ['queued', 1],
      ['sending', 1],
      ['delivered', 2],
      ['refused', 1],
      ['unknown', 1],
    ]
    for (const [state, count] of byState) expect((await deliveries({ state })).items).toHaveLength(count)
    expect((await deliveries({ dead: true })).items.map(textOfDelivery)).toEqual(['discord Too late'])
    expect((await deliveries({ dead: true, platform: 'telegram' })).items).toEqual([])
    const paged: string[] = []
    for (let before: string | null = null, more = true; more; ) {
      const page = await deliveries({ limit: 1, before })
      paged.push(...page.items.map(textOfDelivery))
      before = page.next
      more = before !== null
    }
    expect(paged).toEqual(items.map(textOfDelivery))
  })

  it('counts what was received and sent, and how long answers took', async () => {
    const counted = traffic.parse(await history.traffic('owner', { from: NOW - 10 * MINUTE, to: NOW }))
    expect(counted.step_ms).toBe(MINUTE)
    const of = (platform: string) => counted.platforms.find((one) => one.platform === platform)
    expect(of('discord')?.received).toEqual([0, 0, 1, 0, 0, 1, 0, 1, 0, 0])
    expect(of('discord')?.failed).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    expect(of('discord')?.delivered).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
    expect(of('discord')?.refused).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    expect(of('telegram')?.received).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    // 60 seconds, to the class that they fall into
    expect(counted.answer_ms[8]).toEqual({ p50: 60_250, p95: 60_250 })
    expect(counted.totals).toEqual({
      received: 4,
      answered: 2,
      failed: 1,
      delivered: 1,
      refused: 1,
      unknown: 1,
      answer_ms: { p50: 60_250, p95: 60_250 },
    })
    const day = await history.traffic('owner', { from: null, to: null })
    expect([day.to - day.from, day.step_ms, day.answer_ms.length]).toEqual([24 * 60 * MINUTE, 15 * MINUTE, 96])
    expect(day.totals.received).toBe(6)
    // ends in the middle of a step
    const cut = await history.traffic('owner', { from: NOW - 10 * MINUTE, to: NOW - 8 * MINUTE + 1 })
    expect([cut.totals.received, cut.totals.refused, cut.answer_ms.length]).toEqual([1, 0, 3])
    const long = await history.traffic('owner', { from: NOW - 92 * 24 * 60 * MINUTE, to: NOW })
    expect(long.answer_ms).toHaveLength(92)
  })

  it.each([
    ['ends as it begins', { from: NOW, to: NOW }],
    ['ends before it begins', { from: NOW, to: NOW - 1 }],
    ['begins in the future', { from: NOW + 1, to: null }],
    ['is too long', { from: NOW - 93 * 24 * 60 * MINUTE, to: NOW }],
  ])('refuses a span that %s', async (_what, span) => {
    await expect(history.traffic('owner', span)).rejects.toThrow(expect.objectContaining({ code: 'span_invalid' }))
  })
})

it.each(testDatabases)('places what was sent before on %s when the tables change', async (_name, open) => {
  const test = await open<ChannelTables>()
  const past = createPast(test.database, 'owner/telegram/1')
  const step = { owner: 'channels', nowMs: NOW }
  try {
    await migrate(test.database, { ...step, migrations: channelMigrations.slice(0, 1) })
    await past.conversation('ann', { chat_id: '7' })
    await past.conversation('thread', { chat_id: '7', thread_id: '3' })
    await past.delivery(NOW, 'to Ann')
    await past.delivery(NOW, 'to somebody who never wrote', { chat_id: '8' })
    await migrate(test.database, { ...step, migrations: channelMigrations })
    const rows = await test.database.db.selectFrom('delivery').select(['chat_id', 'conversation_id']).execute()
    expect(Object.fromEntries(rows.map((row) => [row.chat_id, row.conversation_id]))).toEqual({ 7: 'ann', 8: null })
  } finally {
    await test.close()
  }
})

async function store(telegram: Past, discord: Past): Promise<void> {
  await telegram.conversation('silent', { chat_id: '70' })
  await telegram.contact('70', 'Sil')
  await telegram.conversation('bob')
  const file = { kind: 'image', ref: 'r', name: 'photo.png' }
  await telegram.message('bob', NOW - 40 * MINUTE, { text: 'Облако Над морем', user_id: '8', user_name: 'Bob' })
  await telegram.message('bob', NOW - 30 * MINUTE, { text: '', files_json: JSON.stringify([file]) })
  await telegram.conversation('ann')
  await telegram.message('ann', NOW - 5 * MINUTE, { text: '😀'.repeat(300) + HOSTILE })
  await discord.conversation('group', { kind: 'group', title: 'Garten & Größe' })
  const group = { conversation_id: 'group', user_id: '9' }
  await discord.message('group', NOW - 8 * MINUTE, { text: 'from Ann', state: 'failed', reason: 'no answer' })
  await discord.delivery(NOW - 7.5 * MINUTE, 'Too late', { ...group, state: 'refused', dead: 1 })
  await discord.message('group', NOW - 5 * MINUTE, { text: 'from Bob', user_id: '8', user_name: 'Bob' })
  // sent again a minute ago: behind what was sent later, and by its new time among the messages
  const again = { created_at_ms: NOW - MINUTE, updated_at_ms: NOW - MINUTE }
  await discord.delivery(NOW - 4 * MINUTE, 'Resent later', { ...group, ...again, state: 'unknown' })
  await discord.message('group', NOW - 3 * MINUTE, {
    text: 'from Кира',
    user_id: '9',
    user_name: 'Кира',
    state: 'received',
  })
  await discord.delivery(NOW - 2 * MINUTE, 'An answer in the group', { ...group, received_at_ms: NOW - 3 * MINUTE })
  const toSil = { chat_id: '70', user_id: '70', conversation_id: null } as const
  await telegram.delivery(NOW - 24 * 60 * MINUTE - 1, 'Before anything was written', { ...toSil, kind: 'send' })
  await telegram.delivery(NOW - 3.5 * MINUTE, 'To be sent', { ...toSil, state: 'queued' })
  await telegram.delivery(NOW - 3 * MINUTE, 'Still typing', { ...toSil, state: 'live' })
}

const HOSTILE = `100%_ [a*b?]^.+\\d it's "so"\nover`

const getText = (
  item: { type: 'message'; message: { text: string } } | { type: 'delivery'; delivery: { text: string } },
): string => (item.type === 'message' ? item.message.text : item.delivery.text)
const textOfDelivery = ({ platform, text }: { platform: string; text: string }): string => `${platform} ${text}`
