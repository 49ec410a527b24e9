import { testDatabases } from '@gatepost/sql/testing'
import { CompiledQuery } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readHistory, readPending, waitingConversations } from '../conversations/turns.sql.ts'
import { setUnreachable } from '../contacts/contacts.sql.ts'
import { countTraffic } from '../history/traffic.sql.ts'
import { createHistory } from '../history/create-history.ts'
import type { ChannelHistory, ConversationsRequest, DeliveriesRequest } from '../history/history.ts'
import { createReplyContextSealer, deleteReplyContexts, readReplyContexts } from '../inbox/reply-contexts.sql.ts'
import { Secret } from '../secret.ts'
import { createLists, lastInbound } from './lists.ts'
import { countDeliveries, listKnownMessages, listNextDeliveries, waitingChats } from '../outbox/deliveries.sql.ts'
import { deleteBatch } from './retention.sql.ts'
import { BOT, openWorld, type Process, said, type World } from '../testing/bot-world.ts'

const [sqlite] = testDatabases
let world: World
let process: Process
beforeEach(async () => {
  if (!sqlite) throw new Error('no database')
  world = await openWorld(sqlite[1])
  process = await world.start()
  await process.workers.accept([said('there is something')], '0')
})
afterEach(() => world.close())

/** Every step of the plans of the statements that `work` runs on these tables. */
async function explainPlans(work: () => Promise<unknown>): Promise<readonly string[]> {
  const statements: [string, readonly unknown[]][] = []
  world.watched.onStatement = (statement, parameters) => statements.push([statement, parameters])
  await work()
  world.watched.onStatement = null
  const steps: string[] = []
  for (const [statement, parameters] of statements) {
    const plan = CompiledQuery.raw(`explain query plan ${statement}`, [...parameters])
    const { rows } = await world.database.db.executeQuery<{ detail: string }>(plan)
    steps.push(...rows.map(({ detail }) => detail))
  }
  return steps
}

const page = { limit: 50, before: null }
const BOTS = [{ platform: 'telegram', bot: BOT }] as const
const conversations = (request: Partial<ConversationsRequest>): Promise<unknown> =>
  historyOfBot().conversations(
    'owner',
    { ...page, platform: null, q: null, kind: null, state: null, ...request },
    new AbortController().signal,
  )
const allDeliveries = (request: Partial<DeliveriesRequest>): Promise<unknown> =>
  historyOfBot().deliveries('owner', { ...page, platform: null, dead: false, state: null, ...request })
const historyOfBot = (): ChannelHistory =>
  createHistory({ database: world.database, clock: world.clock, bots: () => Promise.resolve(BOTS) })
const handle = (): Process['workers']['handle'] => process.workers.handle
const hot: readonly [what: string, work: () => Promise<unknown>, indexes: readonly string[]][] = [
  ['what waits in a conversation', () => readPending(handle(), 'c', 50), ['message_waiting']],
  ['conversations that wait', () => waitingConversations(handle()), ['message_waiting']],
  ['what is next in a chat', () => listNextDeliveries(handle(), 'c', 20), ['delivery_waiting']],
  ['chats that wait', () => waitingChats(handle()), ['delivery_waiting']],
  ['history', () => readHistory(handle(), 'c', 100, 20), ['message_position', 'turn_history']],
  ['keys of a batch', () => process.workers.accept([said('a'), said('b')], '1'), ['message_dedupe']],
  ['dead deliveries', () => createLists(world.database).deliveries(BOT, { ...page, dead: true }), ['delivery_dead']],
  [
    'a later page of dead deliveries',
    () => createLists(world.database).deliveries(BOT, { limit: 50, before: '9.1', dead: true }),
    ['delivery_dead'],
  ],
  ['deliveries', () => createLists(world.database).deliveries(BOT, { ...page, dead: false }), ['delivery_list']],
  ['messages', () => createLists(world.database).messages(BOT, page), ['message_list']],
  ['the newest message', () => lastInbound(world.database, BOT), ['message_list']],
  ['counts', () => countDeliveries(world.database, BOT), ['delivery_waiting', 'delivery_dead', 'delivery_list']],
  [
    'conversations',
    () => conversations({}),
    [
      'conversation_recent',
      'message_position',
      'delivery_conversation',
      'message_failed',
      'delivery_conversation_dead',
    ],
  ],
  ['conversations that wait for an answer', () => conversations({ state: 'waiting' }), ['message_waiting']],
  [
    'a later page of them that have failed',
    () => conversations({ state: 'failed', before: '9.c' }),
    ['message_failed'],
  ],
  ['conversations in which something was said', () => conversations({ q: 'x' }), ['delivery_conversation']],
  [
    'a transcript',
    async () => {
      const [message] = await world.messages()
      await historyOfBot().conversation('owner', message?.conversation_id ?? '', { limit: 50, before: '9.9.9' })
    },
    ['message_position', 'delivery_conversation'],
  ],
  ['all deliveries', () => allDeliveries({}), ['delivery_list']],
  ['a later page of dead ones', () => allDeliveries({ dead: true, before: '9.1.telegram' }), ['delivery_dead']],
  ['deliveries that wait', () => allDeliveries({ state: 'queued' }), ['delivery_open']],
  ['refused deliveries', () => allDeliveries({ state: 'refused' }), ['delivery_failed']],
  [
    'analytics',
    () => countTraffic(world.database, BOTS, { from: 0, to: 60_000 }, 0),
    ['message_traffic', 'delivery_traffic'],
  ],
  [
    'reply contexts',
    () => readReplyContexts(handle(), createReplyContextSealer([new Secret('key of the tests')])),
    ['message_context'],
  ],
  [
    'the reply contexts of a turn',
    async () => {
      const [row] = await world.store('7', 'x')
      if (!row) throw new Error('nothing was stored')
      const ended = { ...row, conversation_id: 'c', turn_id: 't', state: 'delivered' } as const
      await world.database.transaction((tx) => deleteReplyContexts(tx, ended))
    },
    ['message_context', 'delivery_waiting'],
  ],
  [
    'the contact of a chat',
    () => world.database.transaction((tx) => setUnreachable(tx, BOT, '7', 'gone')),
    ['contact_direct'],
  ],
  ['messages known to a search', () => listKnownMessages(handle(), 5), ['message_age', 'delivery_age']],
]
it.each(hot)('%s: by an index', async (_what, work, indexes) => {
  const steps = await explainPlans(work)
  // `waiting` are the groups of a subquery, one for each chat with pending deliveries
  const isSmall = (step: string): boolean => /SCAN (?:\d+ CONSTANT ROW|waiting$)/.test(step)
  expect(steps.filter((step) => /^SCAN|TEMP B-TREE FOR ORDER BY/.test(step) && !isSmall(step))).toEqual([])
  // SQLite names the index of a unique constraint by its table and number
  const named = steps.map((step) =>
    step
      .replace(/sqlite_autoindex_message_2/, 'message_dedupe')
      .replace(/sqlite_autoindex_message_3/, 'message_position'),
  )
  const unused = indexes.filter((index) => !named.some((step) => step.includes(`INDEX ${index} `)))
  expect(unused.length > 0 ? { unused, named } : 'all used').toBe('all used')
})

it('retention looks at old rows only', async () => {
  const steps = await explainPlans(() =>
    deleteBatch({
      database: world.database,
      dataDir: world.mediaDir,
      clock: world.clock,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      retentionMs: 1,
      signal: new AbortController().signal,
    }),
  )
  for (const index of ['message_age', 'turn_age', 'delivery_age', 'conversation_age', 'contact_age'])
    expect(steps.some((step) => step.includes(`INDEX ${index} `))).toBe(true)
  // in this index is only what waits
  expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual(['SCAN delivery USING INDEX delivery_waiting'])
})
