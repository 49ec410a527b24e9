import type { WecomEmulator } from '@gatepost/emulators'
import { onTestFinished } from 'vitest'
import type { Connection, Inbox } from '../../connection.ts'
import type { Chat, InboundEvent, InboundMessage, OutboundTextPart } from '../../message.ts'
import type { PlatformIo } from '../../platform.ts'
import { type ManualClock, manualClock } from '../../testing/clock.ts'
import { parseJson } from '../wire/json.ts'
import { wecom } from './platform.ts'
import { startWecomWorld, type WecomWorld } from './wecom.contract.ts'

export const never: AbortSignal = new AbortController().signal
export const ann: Chat = { id: 'ann', kind: 'direct' }

export interface Gap {
  readonly fromMs: number
  readonly toMs: number
}

/** A bot that runs, and what it has told. */
export interface Bot {
  readonly world: WecomWorld
  readonly control: WecomEmulator['control']
  readonly clock: ManualClock
  readonly io: PlatformIo
  readonly connection: Connection
  readonly events: readonly InboundEvent[]
  readonly gaps: readonly Gap[]
  readonly ended: Promise<unknown>
  /** Resolves once it holds, looked at whenever something is told or answered. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>
  alive(times: number): Promise<void>
  hear(text: string, how?: Partial<Parameters<WecomEmulator['control']['say']>[0]>): Promise<InboundMessage>
  /** Frames of this kind that came to the platform; a body too long to be kept is `undefined`. */
  frames(method: string): Promise<readonly { readonly reqId: string; readonly body: unknown }[]>
  stop(): Promise<void>
}

export interface BotOptions {
  readonly lastHeardMs?: (nowMs: number) => number
  readonly accept?: Inbox['accept']
  /** Before it connects. */
  readonly prepare?: (world: WecomWorld) => Promise<unknown>
}

/** What a bot tells its inbox. */
interface Told {
  readonly inbox: Inbox
  readonly events: InboundEvent[]
  readonly gaps: Gap[]
  lives(): number
  until(condition: () => boolean): Promise<void>
}

function recordingInbox(clock: ManualClock, { lastHeardMs, accept }: BotOptions): Told {
  const events: InboundEvent[] = []
  const gaps: Gap[] = []
  let lives = 0
  const watchers = new Set<() => void>()
  const changed = (): void => {
    for (const look of watchers) look()
  }
  const inbox: Inbox = {
    cursor: () => Promise.resolve(null),
    lastHeardMs: () => Promise.resolve(lastHeardMs?.(clock.now()) ?? null),
    chats: () => Promise.resolve([]),
    async accept(batch, cursor) {
      await accept?.(batch, cursor)
      events.push(...batch)
      changed()
    },
    named: quiet,
    alive() {
      lives++
      changed()
    },
    degraded: quiet,
    gap: (fromMs, toMs) => void gaps.push({ fromMs, toMs }),
  }
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => (condition() ? resolve() : undefined)
      watchers.add(look)
      look()
    })
  return { inbox, events, gaps, lives: () => lives, until }
}

const quiet = (): void => undefined
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }

/** Starts a bot whose emulator lives in the same time. */
export async function startBot(options: BotOptions = {}): Promise<Bot> {
  const clock = manualClock(Date.now())
  const world = await startWecomWorld({ clock })
  onTestFinished(() => world.close())
  const { control } = world.emulator
  await options.prepare?.(world)
  const io: PlatformIo = { fetch: globalThis.fetch, clock, random: () => 0.5, log, host: world.host }
  const connection = wecom.connect(world.credentials, io)
  const { inbox, events, gaps, lives, until } = recordingInbox(clock, options)
  const aborter = new AbortController()
  const ended = connection.run(inbox, aborter.signal).then(quiet, (error: unknown) => error)
  const stop = async (): Promise<void> => {
    aborter.abort()
    await ended
  }
  onTestFinished(stop)
  return {
    world,
    control,
    clock,
    io,
    connection,
    events,
    gaps,
    ended,
    stop,
    until: async (condition) => {
      while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
    },
    alive: (times) => until(() => lives() >= times),
    async hear(text, how = {}) {
      await until(() => lives() > 0)
      const { messageId } = await control.say({ from: { id: 'ann' }, text, ...how })
      const find = (): InboundMessage | undefined =>
        events.find((event): event is InboundMessage => event.type === 'message' && event.messageId === messageId)
      await until(() => find() !== undefined)
      const found = find()
      if (found === undefined) throw new Error('it was there a moment ago')
      return found
    },
    async frames(method) {
      const requests = await control.requests({ method })
      return requests.map(({ headers, body }) => ({ reqId: String(headers['req_id']), body: parseJson(body) }))
    },
  }
}

let parts = 0

/** A text for Ann, with a delivery id of its own. */
export const textPart = (body: string, more: Partial<OutboundTextPart> = {}): OutboundTextPart => ({
  kind: 'text',
  deliveryId: `turn-${++parts}.1`,
  chat: ann,
  body,
  plain: false,
  ...more,
})
