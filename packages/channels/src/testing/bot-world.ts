import { inlineRenderer } from '../outbox/renderer.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Database } from '@gatepost/sql'
import type { testDatabases } from '@gatepost/sql/testing'
import type { Assistant, AssistantPiece, AssistantTurn } from '../assistant/assistant.ts'
import { planDeliveries, renderText } from '../outbox/plan.ts'
import { createEventBus, type EventBus } from '../event-bus.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import type { AccessRules } from '../inbox/access.ts'
import { createReplyContextSealer } from '../inbox/reply-contexts.sql.ts'
import { Secret } from '../secret.ts'
import { type DeliveryRow, insertDeliveries } from '../outbox/deliveries.sql.ts'
import type { LogFields } from '../platform-io.ts'
import type { Chat, InboundMessage } from '../message.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { createSemaphore, type Semaphore } from '../semaphore.ts'
import { type BotWorkers, createBotWorkers } from '../supervisor/bot-workers.ts'
import { type ManualClock, manualClock } from './clock.ts'
import { preparedChannels } from './prepared-channels.ts'
import { type FakePlatform, type FakePlatformOptions, fakePlatform } from './fake-platform.ts'
import { type WatchedDatabase, watchDatabase } from './watched-database.ts'

/** Time at which tests start, milliseconds since the Unix epoch. */
export const START_MS = 1_800_000_000_000
/** Key of the bot of tests. */
export const BOT = 'owner/telegram/1'
const LEASE_NAME = 'telegram/1'

/** How an assistant of a test answers: pieces, or an error thrown. */
export type Answering = (turn: AssistantTurn, signal: AbortSignal) => AsyncIterable<AssistantPiece>

/** Options of `openWorld`. */
export interface WorldOptions extends FakePlatformOptions {
  readonly answer?: Answering
  /** A number, or those of a process with other bots. */
  readonly turnSemaphore?: number | Semaphore
  readonly pacing?: boolean
  readonly rules?: AccessRules
  readonly historyMessages?: number
  readonly bot?: string
}

/** One process that holds the bot. */
export interface Process {
  readonly workers: BotWorkers
  readonly leaseLost: unknown[]
  readonly rejected: string[]
}

/** A bot, its platform and its database; processes come and go. */
export interface World {
  readonly clock: ManualClock
  readonly platform: FakePlatform
  readonly watched: WatchedDatabase<ChannelTables>
  readonly database: Database<ChannelTables>
  readonly bus: EventBus
  readonly metrics: Metrics
  readonly mediaDir: string
  /** Turns in the order in which the assistant was asked. */
  readonly asked: AssistantTurn[]
  readonly log: { readonly level: string; readonly message: string; readonly fields: LogFields | undefined }[]
  answer: Answering
  rules: AccessRules
  /** A new process takes the lease over; the one before is as if it had been killed: its writes are refused. */
  start(): Promise<Process>
  /** Everything that can be done without the time moving has been done. */
  idle(): Promise<void>
  /** Moves the time on in `steps` equal steps, with everything done in between. */
  pass(ms: number, steps?: number): Promise<void>
  /** Goes on, the time standing still, until it is so: for work with files. */
  until(so: () => boolean | Promise<boolean>): Promise<void>
  /** Stores deliveries of one text each as `send` would, not yet pushed. */
  store(chatId: string, ...texts: string[]): Promise<readonly DeliveryRow[]>
  deliveries(): Promise<readonly DeliveryRow[]>
  messages(): Promise<readonly ChannelTables['message'][]>
  turns(): Promise<readonly ChannelTables['turn'][]>
  close(): Promise<void>
}

/** Answers with the texts of the messages at the end, after `echo: `. */
export const echoing: Answering = async function* (turn) {
  const from = turn.messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const text = turn.messages.slice(from).map((message) => message.text)
  yield { type: 'text', text: `echo: ${text.join(' + ')}` }
}

/** Same numbers in every run. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Returns a direct chat. */
export const direct = (id: string): Chat => ({ id, kind: 'direct' })

let lastKey = 0
/** A message to be answered, in the direct chat of the person with the chat's id. */
export function said(text: string, more: Partial<InboundMessage> = {}): InboundMessage {
  lastKey += 1
  const chat = more.chat ?? direct('7')
  return {
    type: 'message',
    key: `k${lastKey}`,
    messageId: String(lastKey),
    chat,
    from: { id: chat.id, name: 'Ann' },
    text,
    sentAtMs: START_MS,
    addressed: true,
    media: [],
    ...more,
  }
}

type Open = (typeof testDatabases)[number][1]

/** Opens one bot with its workers on a test database. */
export async function openWorld(open: Open, options: WorldOptions = {}): Promise<World> {
  const test = await open(preparedChannels(START_MS))
  const watched = watchDatabase(test.database)
  const clock = manualClock(START_MS)
  const mediaDir = await mkdtemp(path.join(tmpdir(), 'gatepost-world-'))
  const log: World['log'] = []
  const formatLine =
    (level: string) =>
    (message: string, fields?: LogFields): void =>
      void log.push({ level, message, fields })
  const { database } = watched
  const bot = options.bot ?? BOT
  const { db } = test.database
  let epoch = 0

  const world: World = {
    clock,
    platform: fakePlatform(clock, options),
    watched,
    database,
    bus: createEventBus(),
    metrics: createMetrics(),
    mediaDir,
    asked: [],
    log,
    answer: options.answer ?? echoing,
    rules: options.rules ?? { allowedUsers: [] },
    async start() {
      epoch += 1
      const row = { holder: `process-${epoch}`, epoch, expires_at_ms: START_MS * 2, report_json: null }
      await test.database.db
        .insertInto('lease')
        .values({ name: LEASE_NAME, ...row })
        .onConflict((c) => c.column('name').doUpdateSet(row))
        .execute()
      return startProcess(world, bot, { name: LEASE_NAME, epoch }, options, {
        debug: formatLine('debug'),
        info: formatLine('info'),
        warn: formatLine('warn'),
        error: formatLine('error'),
      })
    },
    idle: () => watched.idle(),
    async pass(ms, steps = 20) {
      await watched.idle()
      // whole milliseconds, as of every clock
      const at = (step: number): number => Math.round((ms * step) / steps)
      for (let step = 0; step < steps; step++) {
        await clock.advance(at(step + 1) - at(step))
        await watched.idle()
      }
    },
    async until(so) {
      while (!(await so())) await new Promise((resolve) => setImmediate(resolve))
      await watched.idle()
    },
    async store(chatId, ...texts) {
      const rows = texts.flatMap((text) => createPlan(bot, chatId, text, world))
      await test.database.transaction((tx) => insertDeliveries(tx, rows))
      return rows
    },
    deliveries: () => db.selectFrom('delivery').selectAll().orderBy('sequence').orderBy('part').execute(),
    messages: () => db.selectFrom('message').selectAll().orderBy('conversation_id').orderBy('position').execute(),
    turns: () => db.selectFrom('turn').selectAll().orderBy('last_position').orderBy('id').execute(),
    async close() {
      await test.close()
      await rm(mediaDir, { recursive: true, force: true })
    },
  }
  return world
}

let lastSend = 0
function createPlan(bot: string, chatId: string, text: string, world: World): readonly DeliveryRow[] {
  lastSend += 1
  const plan = {
    id: `send-${String(lastSend).padStart(6, '0')}`,
    bot,
    kind: 'send',
    conversationId: null,
    turnId: null,
    chat: direct(chatId),
    userId: chatId,
    replyTo: null,
    after: null,
    receivedAtMs: null,
  } as const
  return planDeliveries(plan, renderText(text, world.platform.platform), world.clock.now())
}

function startProcess(
  world: World,
  bot: string,
  lease: { name: string; epoch: number },
  options: WorldOptions,
  log: Parameters<typeof createBotWorkers>[0]['io']['log'],
): Process {
  const leaseLost: unknown[] = []
  const rejected: string[] = []
  const random = seededRandom(lease.epoch)
  const { turnSemaphore = 16 } = options
  const assistant: Assistant = {
    reply(turn, signal) {
      world.asked.push(turn)
      return world.answer(turn, signal)
    },
  }
  const io = { fetch, clock: world.clock, random, log, host: (_setting: string, fallback: string) => fallback }
  const shared = {
    database: world.database,
    io,
    assistant,
    bus: world.bus,
    metrics: world.metrics,
    turnSemaphore: typeof turnSemaphore === 'number' ? createSemaphore(turnSemaphore) : turnSemaphore,
    mediaDir: world.mediaDir,
    renderer: inlineRenderer,
    mediaQuota: { take: async () => true },
    replyContexts: createReplyContextSealer([new Secret('the secret key of the tests')]),
    history: { historyMessages: options.historyMessages ?? 20, historyCharacters: 100_000 },
    pacing: options.pacing ?? true,
  }
  const workers = createBotWorkers(shared, {
    accountId: 'owner',
    bot,
    platform: world.platform.platform,
    connection: world.platform.connect(),
    lease,
    rules: () => world.rules,
    onLeaseLost: (error) => leaseLost.push(error),
    onRejected: (detail) => rejected.push(detail),
    onInbound: () => {},
    onDelivered: () => {},
  })
  return { workers, leaseLost, rejected }
}
