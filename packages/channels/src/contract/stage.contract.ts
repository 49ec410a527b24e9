import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import type { Platform } from '../platform.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { Chat, InboundEvent, InboundMessage, Outcome, OutboundTextPart } from '../message.ts'
import type { Connection, Inbox } from '../connection.ts'
import type { PlatformHarness, PlatformWorld, Shown } from './world.contract.ts'
import { type ManualClock, manualClock } from '../testing/clock.ts'

/** One test's platform, its emulated world and a connection to it. */
export interface Stage<C> {
  readonly platform: Platform<C>
  readonly world: PlatformWorld<C>
  readonly clock: ManualClock
  readonly io: PlatformIo
  readonly connection: Connection
  /** Everything that was logged. */
  readonly lines: readonly unknown[]
  /** `io` for a platform whose hosts refuse every connection. */
  readonly lonely: PlatformIo
  /** A folder that is removed at the end. */
  readonly folder: string
  /** Runs the connection into an inbox until `stop`, or until it ends on its own. */
  receive(options?: ReceiveOptions): Receiver
  /** Receives, and hears one direct message: from then on the bot may write to that chat. */
  hear(text: string): Promise<Heard>
  part(chat: Chat, text: string): OutboundTextPart
  close(): Promise<void>
}

/** A message as the test's inbox received it. */
export interface Heard {
  readonly chat: Chat
  readonly message: InboundMessage
  readonly receiver: Receiver
}

/** Options of `receive`. */
export interface ReceiveOptions {
  readonly cursor?: string | null
  readonly connection?: Connection
  /** Makes `accept` fail with this. */
  readonly failWith?: Error
  /** Makes `accept` fail with this once it has stored the batch: the process died before it could confirm. */
  readonly dieWith?: Error
}

/** A running connection with what it has received. */
export interface Receiver {
  readonly events: readonly InboundEvent[]
  cursor(): string | null
  /** The message with this text, once it is accepted. */
  message(text: string): Promise<InboundMessage>
  /** Resolves at the first sign of life. */
  readonly alive: Promise<void>
  /** Ends with the run; what it threw. */
  readonly ended: Promise<unknown>
  stop(): Promise<void>
}

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal

/** Starts the emulator of a platform and opens a connection to it. */
export async function openStage<C>({ platform, start }: PlatformHarness<C>): Promise<Stage<C>> {
  const world = await start()
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-platform-'))
  const clock = manualClock(Date.now())
  const lines: unknown[] = []
  const note = (message: string, fields?: unknown): void => void lines.push({ message, fields })
  const log = { debug: note, info: note, warn: note, error: note }
  const io: PlatformIo = { fetch: globalThis.fetch, clock, random: () => 0.5, log, host: world.host }
  const connection = platform.connect(world.credentials, io)
  const nobody = `http://127.0.0.1:${await closedPort()}`
  const running = new Set<Receiver>()
  let parts = 0
  const listen: Stage<C>['receive'] = (options = {}) => {
    const receiver = receive(options.connection ?? connection, options)
    running.add(receiver)
    return receiver
  }
  return {
    platform,
    world,
    clock,
    io,
    connection,
    lines,
    lonely: { ...io, host: () => nobody },
    folder,
    receive: listen,
    async hear(text) {
      const receiver = listen()
      await receiver.alive
      const { chat } = await world.say(text)
      return { chat, receiver, message: await receiver.message(text) }
    },
    part: (chat, text) => ({
      kind: 'text',
      deliveryId: `turn-${++parts}.1`,
      chat,
      body: platform.dialect.text(text, []),
      plain: false,
    }),
    async close() {
      await Promise.all([...running].map((receiver) => receiver.stop()))
      await world.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** A port that was free a moment ago. */
function closedPort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer()
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
  })
  return promise
}

function receive(connection: Connection, { cursor = null, failWith, dieWith }: ReceiveOptions): Receiver {
  const aborter = new AbortController()
  const events: InboundEvent[] = []
  const watchers = new Set<() => void>()
  const alive = Promise.withResolvers<void>()
  let position = cursor
  const inbox: Inbox = {
    cursor: () => Promise.resolve(cursor),
    async accept(batch, next) {
      if (failWith !== undefined) throw failWith
      events.push(...batch)
      position = next
      for (const look of watchers) look()
      if (dieWith !== undefined) throw dieWith
    },
    lastHeardMs: () => Promise.resolve(null),
    chats: () => Promise.resolve([]),
    named: () => {},
    alive: () => alive.resolve(),
    degraded: () => undefined,
    gap: () => undefined,
  }
  const ended = connection.run(inbox, aborter.signal).then(
    () => undefined,
    (error: unknown) => error,
  )
  return {
    events,
    cursor: () => position,
    alive: alive.promise,
    ended,
    message(text) {
      const { promise, resolve } = Promise.withResolvers<InboundMessage>()
      const look = (): void => {
        const found = events.find((event) => event.type === 'message' && event.text === text)
        if (found?.type === 'message') resolve(found)
      }
      watchers.add(look)
      look()
      return promise
    },
    async stop() {
      aborter.abort()
      await ended
    },
  }
}

/** The platform took it under the id that people's side shows, where it tells one. */
export function expectDelivered(outcome: Outcome, shown: Shown | undefined): void {
  const messageId = shown?.messageId ?? expect.stringMatching(/./)
  expect({ outcome, isShown: shown !== undefined }).toEqual({
    outcome: { status: 'delivered', messageId },
    isShown: true,
  })
}

/** Looks at everything that printing or serializing the value could show: messages, stacks, causes, hidden members. */
export function expectNoSecret(secrets: readonly string[], value: unknown): void {
  const printed = inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null })
  expect(secrets.filter((secret) => printed.includes(secret))).toEqual([])
}
