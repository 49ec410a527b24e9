import { randomUUIDv7 } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { channelMigrations, type ChannelTables } from '@gatepost/channels'
import { type Database, type DatabaseOptions, migrate, openDatabase } from '@gatepost/sql'
import { startPostgres } from '@gatepost/sql/testing'
import { now } from '../machine.ts'
import type { Metric } from '../metrics.ts'
import { measureRounds } from '../statistics.ts'
import type { Saturation, LoadProcess } from './load-process.ts'
import { startBareBot } from './peers.ts'
import { createServiceFolder } from './service.ts'
import { acceptAll, claimAll, finishAll, LEASE, readTurn, recordAll, type Said } from './transactions.ts'

/** The number of concurrent users. */
export const USERS = 1_000

interface ThroughputOptions {
  readonly forMs: number
  readonly warmUpMs: number
  readonly databaseUrl?: string
  /** E.g. `--cpu-prof`. */
  readonly nodeOptions?: readonly string[]
}

/** Saturates the service: 1,000 users who send the next message as soon as they have a reply. */
async function measureService(load: LoadProcess, options: ThroughputOptions): Promise<Saturation> {
  const folder = await createServiceFolder(load.url, options.databaseUrl)
  const service = await folder.start(options.nodeOptions)
  try {
    await service.connect(load.token)
    return await saturate(load, service.pid, options)
  } finally {
    await service.stop()
    await folder.remove()
  }
}

async function measureBareBot(load: LoadProcess, options: ThroughputOptions): Promise<Saturation> {
  const bot = await startBareBot(load)
  try {
    return await saturate(load, bot.pid, options)
  } finally {
    await bot.stop()
  }
}

const saturate = (load: LoadProcess, pid: number, { forMs, warmUpMs }: ThroughputOptions): Promise<Saturation> =>
  load.saturate({ users: USERS, warmUpMs, forMs, messages: Number.MAX_SAFE_INTEGER, pid })

interface Limit {
  readonly perSecond: number
  /** CPU time of this process per message, ms. */
  readonly cpuMs: number
}

/**
 * Measures only the database work of messages, without the network, an assistant, or rendering.
 * @param together Messages per commit: 1 for a single user, more under load.
 */
async function measureLimit(
  database: Database<ChannelTables>,
  options: { readonly messages: number; readonly together: number; readonly users: number },
): Promise<Limit> {
  await migrate(database, { owner: 'channels', migrations: channelMigrations, nowMs: Date.now() })
  const lease = { ...LEASE, holder: 'bench', epoch: 1, expires_at_ms: 0, report_json: null }
  await database.db
    .insertInto('lease')
    .values(lease)
    .onConflict((c) => c.doNothing())
    .execute()
  let next = 0
  const round = async (): Promise<void> => {
    const said = Array.from({ length: options.together }, (_, index): Said => {
      next += 1
      return {
        user: `${1_000 + ((next + index) % options.users)}`,
        text: `Message ${next}: will it rain?`,
        key: randomUUIDv7(),
      }
    })
    const rows = await acceptAll(database, said)
    const turns = []
    for (const row of rows) turns.push(await readTurn(database, row))
    await finishAll(database, turns)
    await claimAll(database, turns)
    await recordAll(database, turns)
  }
  for (let n = 0; n < options.messages / 5; n += options.together) await round()
  const cpuBefore = process.cpuUsage()
  const beganAtMs = now()
  for (let n = 0; n < options.messages; n += options.together) await round()
  const cpu = process.cpuUsage(cpuBefore)
  return {
    perSecond: (options.messages / (now() - beganAtMs)) * 1000,
    cpuMs: (cpu.user + cpu.system) / 1000 / options.messages,
  }
}

interface CapacityOptions extends ThroughputOptions {
  readonly rounds: number
  readonly limitMessages: number
}

/** How many messages the service sends in parallel. */
const BATCH_SIZE = 32

/** Measures messages per second, compared with a bot that stores nothing and with the transactions alone. */
export async function measureCapacity(load: LoadProcess, options: CapacityOptions): Promise<readonly Metric[]> {
  const sqlite = await withSqliteFile((database) => measureOnDatabase('SQLite', database, load, options))
  const bare = await measureRounds(options.rounds, async () => ({ ...(await measureBareBot(load, options)) }))
  const server = await startPostgres()
  try {
    const postgres = await measureOnDatabase('PostgreSQL', { url: server.url }, load, options)
    return [...sqlite, ...postgres, { name: 'baseline: bare bot', unit: 'messages/s', ...bare.perSecond }]
  } finally {
    await server.stop()
  }
}

async function withSqliteFile<R>(work: (options: DatabaseOptions) => Promise<R>): Promise<R> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatepost-limit-'))
  try {
    return await work({ file: path.join(folder, 'limit.db') })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureOnDatabase(
  name: string,
  where: DatabaseOptions,
  load: LoadProcess,
  options: CapacityOptions,
): Promise<readonly Metric[]> {
  const values = await measureRounds(options.rounds, async () => {
    const alone = await measureLimitOn(where, options.limitMessages / 10, 1)
    const together = await measureLimitOn(where, options.limitMessages, BATCH_SIZE)
    const own = await measureService(load, {
      ...options,
      ...(where.url === undefined ? {} : { databaseUrl: where.url }),
    })
    return { ...own, alone: alone.perSecond, limit: together.perSecond, limitCpuMs: together.cpuMs }
  })
  return [
    {
      name: `${name}: throughput`,
      unit: 'messages/s',
      ...values.perSecond,
      ...(where.url === undefined ? { target: { atLeast: 500 } } : {}),
      ratios: { limit: values.perSecond.value / values.limit.value },
    },
    {
      name: `${name}: CPU of the service`,
      unit: 'ms of CPU time per message',
      ...values.cpuMs,
      ratios: { limit: values.cpuMs.value / values.limitCpuMs.value },
    },
    { name: `${name}: CPU of the emulator`, unit: 'cores', ...values.loadShare },
    { name: `${name}: limit, ${BATCH_SIZE} messages per commit`, unit: 'messages/s', ...values.limit },
    { name: `${name}: limit, 1 message per commit`, unit: 'messages/s', ...values.alone },
  ]
}

async function measureLimitOn(where: DatabaseOptions, messages: number, together: number): Promise<Limit> {
  const database = await openDatabase<ChannelTables>(where)
  try {
    return await measureLimit(database, { messages, together, users: USERS })
  } finally {
    await database.close()
  }
}
