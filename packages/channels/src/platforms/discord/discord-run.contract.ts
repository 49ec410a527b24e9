import { onTestFinished } from 'vitest'
import type { Connection, Inbox, Problem } from '../../connection.ts'
import type { Chat, InboundEvent } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { type ManualClock, manualClock } from '../../testing/clock.ts'
import { testIo } from '../wire/testing.ts'
import { type DiscordWorld, startDiscordWorld } from './discord.contract.ts'
import { discord } from './platform.ts'

/** What one bot has stored: it outlives connections, as the database does. */
export interface Stored {
  cursor: string | null
  heardAtMs: number | null
  readonly events: InboundEvent[]
  readonly gaps: {
    readonly from: number
    readonly to: number
    readonly why: string
    readonly reason_code: string | null
    readonly values: object
  }[]
  chats: readonly Chat[]
  problem: Problem | null
  name: string | null
  /** Makes `accept` fail as long as it is there. */
  failure: Error | null
}

/** A running connection of a test. */
export interface Run {
  readonly ended: Promise<unknown>
  stop(): Promise<void>
}

/** The emulator and the connection of a test. */
export interface Bench {
  readonly world: DiscordWorld
  readonly clock: ManualClock
  readonly io: PlatformIo
  readonly stored: Stored
  readonly lines: readonly unknown[]
  /** How many requests are under way. */
  asking(): number
  connect(): Connection
  run(connection?: Connection): Run
  /** Resolves as soon as it is so; looked at whenever something is stored or told. */
  until(so: () => boolean): Promise<void>
  /** The texts of all messages, in the order in which they were stored. */
  texts(): readonly string[]
}

/** A world, and a bot in it whose store the test can look into. */
export async function openBench(options: Parameters<typeof startDiscordWorld>[0] = {}): Promise<Bench> {
  const world = await startDiscordWorld(options)
  const clock = manualClock(Date.now())
  let asking = 0
  const fetchCounted: typeof fetch = async (...request) => {
    asking += 1
    return fetch(...request).finally(() => {
      asking -= 1
    })
  }
  const io = testIo({ fetch: fetchCounted, clock, random: () => 0.5, host: world.host })
  const watchers = new Set<() => void>()
  const runs = new Set<Run>()
  const stored: Stored = {
    cursor: null,
    heardAtMs: null,
    events: [],
    gaps: [],
    chats: [],
    problem: null,
    name: null,
    failure: null,
  }
  const changed = (): void => {
    for (const look of watchers) look()
  }
  const connect = (): Connection => discord.connect(world.credentials, io)
  onTestFinished(async () => {
    await Promise.all([...runs].map((run) => run.stop()))
    await world.close()
  })
  return {
    world,
    clock,
    io,
    stored,
    lines: io.lines,
    asking: () => asking,
    connect,
    run(connection = connect()) {
      const aborter = new AbortController()
      const ended = connection.run(inboxOf(stored, clock, changed), aborter.signal).then(
        () => undefined,
        (error: unknown) => error,
      )
      const run: Run = {
        ended,
        async stop() {
          aborter.abort()
          await ended
        },
      }
      runs.add(run)
      return run
    },
    until(so) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = (): void => {
        if (so()) resolve()
      }
      watchers.add(look)
      look()
      return promise.finally(() => watchers.delete(look))
    },
    texts: () => stored.events.flatMap((event) => (event.type === 'message' ? [event.text] : [])),
  }
}

function inboxOf(stored: Stored, clock: ManualClock, changed: () => void): Inbox {
  const keys = new Set(stored.events.flatMap((event) => (event.type === 'message' ? [event.key] : [])))
  return {
    cursor: async () => stored.cursor,
    lastHeardMs: async () => stored.heardAtMs,
    chats: async (limit) => stored.chats.slice(0, limit),
    async accept(batch, cursor) {
      if (stored.failure !== null) throw stored.failure
      for (const event of batch) {
        if (event.type === 'message' && keys.has(event.key)) continue
        if (event.type === 'message') keys.add(event.key)
        stored.events.push(event)
      }
      stored.cursor = cursor
      changed()
    },
    named: (name) => {
      stored.name = name
    },
    alive() {
      stored.heardAtMs = clock.now()
      changed()
    },
    degraded(problem) {
      stored.problem = problem
      changed()
    },
    gap(from, to, { why, reason_code, values }) {
      stored.gaps.push({ from, to, why, reason_code, values })
      changed()
    },
  }
}
