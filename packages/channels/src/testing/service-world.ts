import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { startTelegramEmulator, type TelegramControl } from '@gatepost/emulators'
import { createPublicNetwork, openPresence } from '@gatepost/sql'
import type { TestDatabase, testDatabases } from '@gatepost/sql/testing'
import type { Assistant } from '../assistant/assistant.ts'
import type { Channels } from '../channels.ts'
import { ChannelError } from '../errors.ts'
import type { Log } from '../platform-io.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { Secret } from '../secret.ts'
import { createChannels, type ChannelsOptions } from '../service.ts'
import { type ManualClock, manualClock } from './clock.ts'
import { preparedChannels } from './prepared-channels.ts'
import { type WatchedDatabase, watchDatabase } from './watched-database.ts'

const SERVICE_START_MS = 1_800_000_000_000
/** The account of tests. */
export const OWNER = { accountId: 'owner' } as const
/** Another account. */
export const OTHER = { accountId: 'other' } as const
/** Life of a lease in tests, in milliseconds. */
export const LEASE_MS = 15_000

/** One process that serves channels. */
export interface ServiceNode {
  readonly channels: Channels
  readonly database: WatchedDatabase<ChannelTables>
  stop(withinMs?: number): Promise<void>
}

/** The service on a real database, against the Telegram emulator; the time moves only when it is told to. */
export interface ServiceWorld {
  readonly clock: ManualClock
  readonly control: TelegramControl
  /** Of the emulator's first bot. */
  readonly token: string
  readonly url: string
  readonly dataDir: string
  readonly test: TestDatabase<ChannelTables>
  /** Every log line as JSON text. */
  readonly log: readonly string[]
  start(options?: Partial<ChannelsOptions>): Promise<ServiceNode>
  /** Goes on, the time standing still or moved by `stepMs` at each look, until it is so. */
  until(so: () => boolean | Promise<boolean>, stepMs?: number): Promise<void>
  /** How often the bot was asked for updates so far. */
  polls(): Promise<number>
  close(): Promise<void>
}

const echo: Assistant = {
  async *reply(turn) {
    yield { type: 'text', text: `echo: ${turn.messages.at(-1)?.text ?? ''}` }
  },
}

/** What `work` refuses with. */
export async function refusal(work: Promise<unknown>): Promise<ChannelError> {
  const error: unknown = await work.then(
    () => new Error('nothing was refused'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof ChannelError) return error
  throw error
}

/** Opens the whole service with a fake platform on a test database. */
export async function openServiceWorld(open: (typeof testDatabases)[number][1]): Promise<ServiceWorld> {
  const test = await open(preparedChannels(SERVICE_START_MS))
  const dataDir = await mkdtemp(path.join(tmpdir(), 'gatepost-service-'))
  const emulator = await startTelegramEmulator({ conflictDelayMs: 0, repeatHoldMs: 0 })
  const { control, url } = emulator
  const [bot] = await control.bots()
  const clock = manualClock(SERVICE_START_MS)
  const lines: string[] = []
  const write: Log['info'] = (message, fields) => void lines.push(`${message} ${inspectable(fields)}`)
  const log: Log = { debug: write, info: write, warn: write, error: write }
  const nodes: ServiceNode[] = []

  const world: ServiceWorld = {
    clock,
    control,
    token: bot?.token ?? '',
    url,
    dataDir,
    test,
    log: lines,
    async start(options = {}) {
      const node = await startNode(world, log, options)
      nodes.push(node)
      return node
    },
    async until(so, stepMs = 0) {
      while (!(await so())) await (stepMs === 0 ? nextTick() : clock.advance(stepMs))
    },
    polls: async () => (await control.requests({ method: 'getUpdates' })).length,
    async close() {
      await Promise.all(nodes.map((node) => node.stop()))
      await emulator.close()
      await test.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  return world
}

async function startNode(world: ServiceWorld, log: Log, options: Partial<ChannelsOptions>): Promise<ServiceNode> {
  const { clock, dataDir, test, url } = world
  const database = watchDatabase(test.database)
  const presence = await openPresence(test.database, { folder: path.join(dataDir, 'presence'), onLost: () => {} })
  const channels = createChannels({
    database: database.database,
    presence,
    dataDir,
    secretKeys: [new Secret('the secret key of the tests')],
    assistant: echo,
    clock,
    random: () => 0.5,
    fetch: globalThis.fetch,
    publicNetwork: createPublicNetwork(),
    log,
    hosts: { GATEPOST_TELEGRAM_API_URL: `${url}/` },
    todaysLog: () => null,
    settings: {
      leaseMs: LEASE_MS,
      concurrentTurns: 8,
      history: { historyMessages: 20, historyCharacters: 10_000 },
      retentionMs: 8 * 86_400_000,
      pacing: false,
      maxChannels: 6,
      maxStoredBytes: 1_000_000_000,
    },
    ...options,
  })
  let stopped: Promise<void> | null = null
  const stop = async (withinMs: number): Promise<void> => {
    await channels.stop(withinMs)
    await presence.close()
  }
  await channels.start()
  return { channels, database, stop: (withinMs = 2_000) => (stopped ??= stop(withinMs)) }
}

/** Everything that a log could show of the fields, errors with their causes. */
function inspectable(fields: unknown): string {
  return JSON.stringify(fields, (_key, value: unknown) =>
    value instanceof Error
      ? { ...Object.fromEntries(Object.entries(value)), message: value.message, stack: value.stack, cause: value.cause }
      : value,
  )
}
