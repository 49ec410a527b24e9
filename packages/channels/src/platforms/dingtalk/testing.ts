import { onTestFinished } from 'vitest'
import type { Connection, Inbox } from '../../connection.ts'
import type { Chat, InboundMessage, OutboundTextPart } from '../../message.ts'
import type { PlatformIo } from '../../platform.ts'
import { type ManualClock, manualClock } from '../../testing/clock.ts'
import { type DingtalkWorld, startDingtalkWorld } from './dingtalk.contract.ts'
import { dingtalk } from './platform.ts'

/** A bot in an emulated world, for one test. */
export interface Scene {
  readonly world: DingtalkWorld
  readonly clock: ManualClock
  readonly io: PlatformIo
  readonly connection: Connection
  /** Lets the connection run into an inbox until the test ends. @param stored Keeps `accept` from resolving. */
  listen(stored?: Promise<void>): Promise<Listening>
  part(chat: Chat, body: string): OutboundTextPart
  /** Resolves when somebody begins to wait for exactly `ms`, now or from now on. */
  waitingFor(ms: number): Promise<void>
  /** How often the emulator was called like this. */
  calls(method: string): Promise<number>
}

export interface Listening {
  readonly messages: readonly InboundMessage[]
  /** The message with this text, once it is stored. */
  message(text: string): Promise<InboundMessage>
  /** What the run ended with. */
  readonly ended: Promise<unknown>
  /** How often a sign of life came. */
  signs(): number
  stop(): Promise<void>
}

/** For calls that nobody stops. */
export const never: AbortSignal = new AbortController().signal

/** Starts an emulator and a bot that is not connected yet. */
export async function openScene(options: Parameters<typeof startDingtalkWorld>[0] = {}): Promise<Scene> {
  const world = await startDingtalkWorld(options)
  onTestFinished(() => world.close())
  const clock = manualClock(Date.now())
  const waits: number[] = []
  const sleep: PlatformIo['clock']['sleep'] = (ms, signal) => {
    waits.push(ms)
    return clock.sleep(ms, signal)
  }
  const quiet = (): void => undefined
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const io = { fetch: globalThis.fetch, clock: { now: clock.now, sleep }, random: () => 0.5, log, host: world.host }
  const connection = dingtalk.connect(world.credentials, io)
  let parts = 0
  return {
    world,
    clock,
    io,
    connection,
    listen: async (stored = Promise.resolve()) => listen(connection, stored),
    part: (chat, body) => ({ kind: 'text', deliveryId: `turn-${++parts}.1`, chat, body, plain: false }),
    async waitingFor(ms) {
      await until(() => waits.includes(ms))
      waits.splice(waits.indexOf(ms), 1)
    },
    calls: async (method) => (await world.control.requests({ method })).length,
  }
}

/** The same world for a process that has seen nothing of it yet. */
export const afterRestart = (io: PlatformIo): PlatformIo => ({
  ...io,
  host: (setting, other) => io.host(setting, other),
})

/** Resolves when the emulator or the bot has got so far, without waiting for time to pass. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

function listen(connection: Connection, stored: Promise<void>): Listening {
  const aborter = new AbortController()
  const messages: InboundMessage[] = []
  const nothing = (): void => undefined
  let signs = 0
  const inbox: Inbox = {
    cursor: () => Promise.resolve(null),
    lastHeardMs: () => Promise.resolve(null),
    chats: () => Promise.resolve([]),
    async accept(batch) {
      messages.push(...batch.filter((event) => event.type === 'message'))
      await stored
    },
    named: nothing,
    alive: () => void signs++,
    degraded: nothing,
    gap: nothing,
  }
  const ended = connection.run(inbox, aborter.signal).then(
    () => undefined,
    (error: unknown) => error,
  )
  const stop = async (): Promise<void> => {
    aborter.abort()
    await ended
  }
  onTestFinished(stop)
  const find = (text: string): InboundMessage | undefined => messages.find((message) => message.text === text)
  return {
    messages,
    ended,
    stop,
    signs: () => signs,
    async message(text) {
      await until(() => find(text) !== undefined)
      return find(text) as InboundMessage // just found
    },
  }
}
