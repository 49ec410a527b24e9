import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ChannelTables } from '@gatepost/channels'
import { type DatabaseOptions, openDatabase } from '@gatepost/sql'
import { startPostgres } from '@gatepost/sql/testing'
import type { Figure } from '../figures.ts'
import { type Limit, measureLimit } from './limit.ts'
import type { LoadProcess } from './load-process.ts'
import { inRounds } from './rounds.ts'
import { measureBareBot, measureService, type ThroughputOptions, USERS } from './throughput.ts'

export interface CapacityOptions extends ThroughputOptions {
  readonly rounds: number
  readonly limitMessages: number
}

/** As many as the service sends at the same time. */
const TOGETHER = 32

/** How many messages a second are answered, against a bot that stores nothing and against the bare transactions. */
export async function measureCapacity(load: LoadProcess, options: CapacityOptions): Promise<readonly Figure[]> {
  const sqlite = await onSqlite((database) => measureOn('SQLite', database, load, options))
  const bare = await inRounds(options.rounds, async () => ({ ...(await measureBareBot(load, options)) }))
  const server = await startPostgres()
  try {
    const postgres = await measureOn('PostgreSQL', { url: server.url }, load, options)
    return [...sqlite, ...postgres, { name: 'peer: bare bot', unit: 'messages/s', ...bare.perSecond }]
  } finally {
    await server.stop()
  }
}

async function onSqlite<R>(work: (options: DatabaseOptions) => Promise<R>): Promise<R> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatepost-limit-'))
  try {
    return await work({ file: path.join(folder, 'limit.db') })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureOn(
  name: string,
  where: DatabaseOptions,
  load: LoadProcess,
  options: CapacityOptions,
): Promise<readonly Figure[]> {
  const values = await inRounds(options.rounds, async () => {
    const alone = await limit(where, options.limitMessages / 10, 1)
    const together = await limit(where, options.limitMessages, TOGETHER)
    const own = await measureService(load, {
      ...options,
      ...(where.url === undefined ? {} : { databaseUrl: where.url }),
    })
    return { ...own, alone: alone.perSecond, limit: together.perSecond, limitCpuMs: together.cpuMs }
  })
  return [
    {
      name: `${name}: answered`,
      unit: 'messages/s',
      ...values.perSecond,
      ...(where.url === undefined ? { target: { atLeast: 500 } } : {}),
      ratios: { limit: values.perSecond.value / values.limit.value },
    },
    {
      name: `${name}: processor of the service`,
      unit: 'ms a message',
      ...values.cpuMs,
      ratios: { limit: values.cpuMs.value / values.limitCpuMs.value },
    },
    { name: `${name}: share of a core that the emulator used`, unit: '', ...values.loadShare },
    { name: `${name}: limit, ${TOGETHER} share a commit`, unit: 'messages/s', ...values.limit },
    { name: `${name}: limit, each alone`, unit: 'messages/s', ...values.alone },
  ]
}

async function limit(where: DatabaseOptions, messages: number, together: number): Promise<Limit> {
  const database = await openDatabase<ChannelTables>(where)
  try {
    return await measureLimit(database, { messages, together, users: USERS })
  } finally {
    await database.close()
  }
}
