import { onTestFinished } from 'vitest'
import type { Connection, Inbox } from '../../connection.ts'
import type { InboundEvent, InboundMessage, OutboundTextPart } from '../../message.ts'
import type { PlatformIo } from '../../platform.ts'
import { type ManualClock, manualClock } from '../../testing/clock.ts'
import { weixin } from './platform.ts'
import { startWeixinWorld, type WeixinWorld } from './weixin.contract.ts'

/** For calls that nobody stops. */
export const never: AbortSignal = new AbortController().signal

export type TestIo = PlatformIo & { readonly clock: ManualClock; readonly lines: readonly unknown[] }

/** An `io` whose time stands still and which keeps what is logged. */
export function ioWith(more: Partial<PlatformIo>): TestIo {
  const lines: unknown[] = []
  const note = (message: string, fields?: unknown): void => void lines.push({ message, fields })
  const log = { debug: note, info: note, warn: note, error: note }
  const base = { fetch: globalThis.fetch, random: () => 0, log, host: (_name: string, url: string) => url }
  return { ...base, ...more, clock: manualClock(Date.now()), lines }
}

/** The emulator, a connection to it, and what that needs to be run. */
export async function openWorld(
  options: Parameters<typeof startWeixinWorld>[0] = {},
): Promise<{ world: WeixinWorld; io: TestIo; connection: Connection }> {
  const world = await startWeixinWorld(options)
  onTestFinished(() => world.close())
  const io = ioWith({ host: world.host })
  return { world, io, connection: weixin.connect(world.credentials, io) }
}

/** A run of a connection into an inbox that keeps everything. */
export interface Run {
  readonly batches: readonly { readonly events: readonly InboundEvent[]; readonly cursor: string | null }[]
  /** How often the platform was heard. */
  alive(): number
  /** The message with this text, once it is stored. */
  message(text: string): Promise<InboundMessage>
  /** What it threw, at its end. */
  readonly ended: Promise<unknown>
  stop(): Promise<void>
}

export function run(connection: Connection, cursor: string | null = null): Run {
  const aborter = new AbortController()
  const batches: { events: readonly InboundEvent[]; cursor: string | null }[] = []
  const watchers = new Set<() => void>()
  let alive = 0
  const inbox: Inbox = {
    cursor: () => Promise.resolve(cursor),
    lastHeardMs: () => Promise.resolve(null),
    chats: () => Promise.resolve([]),
    async accept(events, next) {
      batches.push({ events, cursor: next })
      for (const look of watchers) look()
    },
    named: () => undefined,
    alive: () => void alive++,
    degraded: () => undefined,
    gap: () => undefined,
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
  return {
    batches,
    alive: () => alive,
    ended,
    stop,
    message(text) {
      const { promise, resolve } = Promise.withResolvers<InboundMessage>()
      const look = (): void => {
        for (const event of batches.flatMap(({ events }) => events))
          if (event.type === 'message' && event.text === text) resolve(event)
      }
      watchers.add(look)
      look()
      return promise
    },
  }
}

let parts = 0
/** A text to Ann. */
export const partFor = (body: string): OutboundTextPart => ({
  kind: 'text',
  deliveryId: `turn-${++parts}.1`,
  chat: { id: 'ann@im.wechat', kind: 'direct' },
  body,
  plain: false,
})

/** An answer that is held until the caller leaves. */
export const held = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    const leave = (): void => reject(new DOMException('aborted', 'AbortError'))
    if (signal?.aborted === true) leave()
    signal?.addEventListener('abort', leave)
  })

/** The URL of what fetch was given. */
export const urlOf = (input: string | URL | Request): string =>
  input instanceof Request ? input.url : input.toString()
