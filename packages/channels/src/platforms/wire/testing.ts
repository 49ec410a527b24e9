import { onTestFinished } from 'vitest'
import type { Connection, Inbox, Problem } from '../../connection.ts'
import type { Chat, InboundEvent, InboundMessage } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { manualClock, type ManualClock } from '../../testing/clock.ts'

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal

/** A world whose time stands still. */
export interface TestIo extends PlatformIo {
  readonly clock: ManualClock
  /** Everything that was logged. */
  readonly lines: readonly { readonly message: string; readonly fields: unknown }[]
}

/** @param more What is to differ from the real network, the configured hosts and a random 0. */
export function testIo(more: Partial<PlatformIo> & { readonly clock?: ManualClock } = {}): TestIo {
  const lines: TestIo['lines'][number][] = []
  const note = (message: string, fields?: unknown): void => void lines.push({ message, fields })
  const log = { debug: note, info: note, warn: note, error: note }
  const host = (_name: string, url: string): string => url
  return { fetch: globalThis.fetch, random: () => 0, log, host, clock: manualClock(Date.now()), lines, ...more }
}

/** Resolves when someone else has got so far, without waiting for time to pass. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

/** An answer that is held until the caller leaves. */
export const held = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    const leave = (): void => reject(new DOMException('aborted', 'AbortError'))
    if (signal?.aborted === true) leave()
    signal?.addEventListener('abort', leave)
  })

/** The URL of what fetch was given. */
export const toUrlText = (input: string | URL | Request): string =>
  input instanceof Request ? input.url : input.toString()

/** The same world for a process that has seen nothing of it yet. */
export const afterRestart = (io: PlatformIo): PlatformIo => ({ ...io })

interface Batch {
  readonly events: readonly InboundEvent[]
  readonly cursor: string | null
}

interface Gap {
  readonly fromMs: number
  readonly toMs: number
  readonly why: string
  readonly reason_code: string | null
  readonly values: object
}

/** What an inbox was told. */
interface Told {
  readonly batches: readonly Batch[]
  readonly events: readonly InboundEvent[]
  readonly messages: readonly InboundMessage[]
  readonly gaps: readonly Gap[]
  readonly problems: readonly (Problem | null)[]
  /** How often the platform was heard. */
  signs(): number
}

/** A run of a connection into an inbox that keeps everything, until the test ends at the latest. */
export interface Run extends Told {
  /** What it threw, at its end. */
  readonly ended: Promise<unknown>
  stop(): Promise<void>
  /** Resolves once it is so; looked at whenever the inbox is told something. */
  until(isSo: () => boolean): Promise<void>
  /** Resolves once the platform was heard so often. @param times Default 1. */
  alive(times?: number): Promise<void>
  /** The message with this text, once it is there. */
  message(text: string): Promise<InboundMessage>
}

interface InboxOptions {
  readonly cursor?: string | null
  readonly lastHeardMs?: number | null
  readonly chats?: readonly Chat[]
  /** Asked before a batch is kept: what it throws, `accept` throws. */
  readonly accept?: (batch: readonly InboundEvent[], cursor: string | null) => unknown
  /** Keeps `accept` from resolving once the batch is there. */
  readonly stored?: Promise<void>
}

/** Runs a connection and records what it reports. */
export function run(connection: Connection, options: InboxOptions = {}): Run {
  const aborter = new AbortController()
  const watchers = new Set<() => void>()
  const { inbox, told } = keepingInbox(options, () => {
    for (const look of watchers) look()
  })
  const ended = connection.run(inbox, aborter.signal).then(
    () => undefined,
    (error: unknown) => error,
  )
  const stop = async (): Promise<void> => {
    aborter.abort()
    await ended
  }
  onTestFinished(stop)
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => (isSo() ? resolve() : undefined)
      watchers.add(look)
      look()
    })
  const message = async (text: string): Promise<InboundMessage> => {
    const found = (): InboundMessage | undefined => told.messages.find((one) => one.text === text)
    await until(() => found() !== undefined)
    return found() as InboundMessage // just found
  }
  const alive = (times = 1): Promise<void> => until(() => told.signs() >= times)
  return { ...told, ended, stop, until, alive, message }
}

function keepingInbox(options: InboxOptions, changed: () => void): { readonly inbox: Inbox; readonly told: Told } {
  const batches: Batch[] = []
  const events: InboundEvent[] = []
  const messages: InboundMessage[] = []
  const gaps: Gap[] = []
  const problems: (Problem | null)[] = []
  let signs = 0
  const inbox: Inbox = {
    cursor: async () => options.cursor ?? null,
    lastHeardMs: async () => options.lastHeardMs ?? null,
    chats: async () => options.chats ?? [],
    async accept(batch, cursor) {
      await options.accept?.(batch, cursor)
      batches.push({ events: batch, cursor })
      events.push(...batch)
      messages.push(...batch.filter((event) => event.type === 'message'))
      changed()
      await options.stored
    },
    named: () => undefined,
    alive() {
      signs++
      changed()
    },
    degraded(problem) {
      problems.push(problem)
      changed()
    },
    gap(fromMs, toMs, reason) {
      gaps.push({ fromMs, toMs, ...reason })
      changed()
    },
  }
  return { inbox, told: { batches, events, messages, gaps, problems, signs: () => signs } }
}
