import { onTestFinished } from 'vitest'
import type { Connection, Inbox, Problem } from '../../connection.ts'
import type { Chat, InboundEvent, InboundMessage, OutboundTextPart } from '../../message.ts'
import type { PlatformIo } from '../../platform.ts'
import { type ManualClock, manualClock } from '../../testing/clock.ts'
import { type FeishuWorld, startFeishuWorld } from './feishu.contract.ts'
import { feishu } from './platform.ts'

/** For calls that nobody stops. */
export const never: AbortSignal = new AbortController().signal

export interface Scene {
  readonly world: FeishuWorld
  readonly clock: ManualClock
  readonly io: PlatformIo
  readonly connection: Connection
  /** Everything that was logged. */
  readonly lines: readonly string[]
}

/** An emulator and a connection to it. */
export async function openScene(options: Parameters<typeof startFeishuWorld>[0] = {}): Promise<Scene> {
  const world = await startFeishuWorld(options)
  onTestFinished(() => world.close())
  const clock = manualClock(Date.now())
  const lines: string[] = []
  const note = (message: string): void => void lines.push(message)
  const log = { debug: note, info: note, warn: note, error: note }
  const io = { fetch: globalThis.fetch, clock, random: () => 0.5, log, host: world.host }
  return { world, clock, io, connection: feishu.connect(world.credentials, io), lines }
}

export interface Gap {
  readonly fromMs: number
  readonly toMs: number
  readonly why: string
}

/** What a run told its inbox. */
export interface Heard {
  readonly events: readonly InboundEvent[]
  readonly cursors: readonly (string | null)[]
  readonly gaps: readonly Gap[]
  readonly problems: readonly (Problem | null)[]
  readonly alive: Promise<void>
  readonly ended: Promise<unknown>
  message(text: string): Promise<InboundMessage>
  /** Resolves once `isSo` holds; looked at whenever the inbox is told something. */
  until(isSo: () => boolean): Promise<void>
  stop(): Promise<void>
}

export interface InboxOptions {
  readonly cursor?: string | null
  readonly lastHeardMs?: number | null
  readonly chats?: readonly Chat[]
  /** Makes the next `accept` of a message fail with this. */
  readonly failWith?: Error
}

/** Runs a connection into an inbox of its own, until the test ends at the latest. */
export function hear(connection: Connection, options: InboxOptions = {}): Heard {
  const aborter = new AbortController()
  const notes: Notes = { events: [], cursors: [], gaps: [], problems: [] }
  const watchers = new Set<() => void>()
  const told = (): void => [...watchers].forEach((look) => look())
  const alive = Promise.withResolvers<void>()
  const ended = connection.run(inboxFor(options, notes, told, alive.resolve), aborter.signal).then(
    () => undefined,
    (error: unknown) => error,
  )
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => (isSo() ? resolve() : undefined)
      watchers.add(look)
      look()
    })
  const stop = async (): Promise<void> => {
    aborter.abort()
    await ended
  }
  onTestFinished(stop)
  const message = async (text: string): Promise<InboundMessage> => {
    let found: InboundMessage | undefined
    await until(() => {
      found = notes.events.find((event): event is InboundMessage => event.type === 'message' && event.text === text)
      return found !== undefined
    })
    if (found === undefined) throw new Error('it was there')
    return found
  }
  return { ...notes, alive: alive.promise, ended, until, stop, message }
}

interface Notes {
  readonly events: InboundEvent[]
  readonly cursors: (string | null)[]
  readonly gaps: Gap[]
  readonly problems: (Problem | null)[]
}

const inboxFor = (options: InboxOptions, notes: Notes, told: () => void, alive: () => void): Inbox => ({
  cursor: () => Promise.resolve(options.cursor ?? null),
  lastHeardMs: () => Promise.resolve(options.lastHeardMs ?? null),
  chats: () => Promise.resolve(options.chats ?? []),
  async accept(batch, cursor) {
    if (batch.length > 0 && options.failWith) throw options.failWith
    notes.events.push(...batch)
    notes.cursors.push(cursor)
    told()
  },
  named: () => undefined,
  alive,
  degraded: (problem) => {
    notes.problems.push(problem)
    told()
  },
  gap: (fromMs, toMs, why) => {
    notes.gaps.push({ fromMs, toMs, why })
    told()
  },
})

export const CHAT: Chat = { id: 'oc_p2p_ann', kind: 'direct' }

/** A text part to the person who writes in these tests. */
export const textPart = (body: string, more: Partial<OutboundTextPart> = {}): OutboundTextPart => ({
  kind: 'text',
  deliveryId: '0198c5a0-0000-7000-8000-000000000001.1',
  chat: CHAT,
  body,
  plain: false,
  ...more,
})

/** The bodies of calls as they came over the wire. */
export async function bodiesOf(
  world: FeishuWorld,
  method: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const requests = await world.control.requests({ method })
  return requests.map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>) // all of these are objects
}
