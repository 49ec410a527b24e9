import { BoundedLog, forgetOldest } from './bounded-log.ts'
import type { EmulatorClock } from './clock.ts'
import { markdownBlocks, plainBlocks } from './shown-blocks.ts'
import type {
  ChatLine,
  EventRecord,
  PlatformControl,
  RequestRecord,
  SentQuery,
  ShownFile,
  ShownMessage,
  TypingSign,
} from './control.ts'

/** A file as it is shown in a chat. */
export interface ChatFile {
  readonly name: string
  readonly bytes: Uint8Array
}

interface Line {
  readonly chatId: string
  readonly messageId: string
  readonly by: 'person' | 'bot'
  readonly name: string
  readonly atMs: number
  text: string
  edits: number
  unfinished: boolean
  readonly replyTo: string | null
  readonly files: readonly ChatFile[]
  /** Among the messages of the bot, from 1; 0 for a message of a person. */
  sequence: number
}

/** What is put into a chat. */
export interface NewLine {
  readonly chatId: string
  readonly messageId: string
  readonly name: string
  readonly text: string
  readonly unfinished?: boolean
  readonly replyTo?: string | null
  readonly files?: readonly ChatFile[]
}

/** Longest file whose content `sent` shows, bytes. */
const SHOWN_BYTES = 64 * 1024
const BODY_SHOWN = 64 * 1024

/** The chats as people see them, and everything that came over the wire: the part of the control that all platforms share. */
export class ChatWorld {
  readonly clock: EmulatorClock
  readonly #history: number
  readonly #lines = new Map<string, Line[]>()
  readonly #byId = new Map<string, Line>()
  readonly #sent: BoundedLog<Line>
  readonly #requests: BoundedLog<RequestRecord & { status: number }>
  readonly #events = new Map<string, { deliveries: number; confirmedAtMs: number | null }>()
  readonly #typing = new Map<string, number>()
  readonly #watchers = new Set<() => void>()

  /** @param history How many requests, messages and events are kept. */
  constructor(clock: EmulatorClock, history: number) {
    if (!Number.isInteger(history) || history < 1) throw new RangeError('history is a whole number from 1')
    this.clock = clock
    this.#history = history
    this.#sent = new BoundedLog(history)
    this.#requests = new BoundedLog(history)
  }

  /** A message of a person. */
  heard(line: NewLine): void {
    this.#put(line, 'person')
  }

  /** A message of the bot. */
  shown(line: NewLine): void {
    const put = this.#put(line, 'bot')
    put.sequence = this.#sent.push(put)
    this.#changed()
  }

  /** Replaces a text of the bot. @returns whether there is such a message */
  replace(messageId: string, text: string, unfinished = false): boolean {
    const line = this.#byId.get(messageId)
    if (line?.by !== 'bot') return false
    if (line.text !== text) line.edits += 1
    line.text = text
    line.unfinished = unfinished
    this.#changed()
    return true
  }

  /** A person changes an earlier message. @returns whether there is such a message */
  amend(messageId: string, text: string): boolean {
    const line = this.#byId.get(messageId)
    if (line?.by !== 'person') return false
    if (line.text !== text) line.edits += 1
    line.text = text
    return true
  }

  /** @returns whether there was such a message */
  remove(messageId: string): boolean {
    const line = this.#byId.get(messageId)
    if (!line) return false
    this.#byId.delete(messageId)
    const lines = this.#lines.get(line.chatId) ?? []
    lines.splice(lines.indexOf(line), 1)
    return true
  }

  find(messageId: string): (Pick<Line, 'chatId' | 'by' | 'text' | 'atMs' | 'name' | 'replyTo'> & NewLine) | null {
    return this.#byId.get(messageId) ?? null
  }

  /** Everything of a chat, oldest first. */
  chat(chatId: string): readonly Readonly<Line>[] {
    return this.#lines.get(chatId) ?? []
  }

  /** @returns a function that says how the call was answered */
  request(record: Omit<RequestRecord, 'sequence' | 'atMs' | 'status'>, status = 0): (status: number) => void {
    const sequence = this.#requests.last + 1
    const body = record.body.slice(0, BODY_SHOWN)
    const stored = { ...record, body, status, sequence, atMs: this.clock.now() }
    this.#requests.push(stored)
    return (answered) => {
      stored.status = answered
    }
  }

  /** An event was handed to the bot. */
  delivered(messageId: string): void {
    const event = this.#events.get(messageId)
    if (event) event.deliveries += 1
    else this.#events.set(messageId, { deliveries: 1, confirmedAtMs: null })
    forgetOldest(this.#events, this.#history)
  }

  confirmed(messageId: string): void {
    const event = this.#events.get(messageId)
    if (event) event.confirmedAtMs ??= this.clock.now()
  }

  /** The bot shows that it is writing, for `ms`; 0: not any more. */
  typing(chatId: string, ms: number): void {
    if (ms > 0) this.#typing.set(chatId, this.clock.now() + ms)
    else this.#typing.delete(chatId)
  }

  /** The operations of the control that need nothing else. */
  operations(): Pick<PlatformControl, 'sent' | 'waitForSent' | 'conversation' | 'requests' | 'typing' | 'events'> {
    return {
      sent: async (query = {}) => this.#shownOf(query),
      waitForSent: (query = {}) => this.#wait(query),
      conversation: async ({ chatId, limit = 1_000, details = false }) =>
        this.chat(chatId)
          .slice(-limit)
          .map((line) => (details ? { ...chatLine(line), ...detailsOf(line) } : chatLine(line))),
      requests: async ({ method, afterSequence = 0 } = {}) =>
        this.#requests
          .after(afterSequence)
          .filter((one) => method === undefined || one.method.toLowerCase() === method.toLowerCase()),
      typing: async () =>
        [...this.#typing]
          .map(([chatId, untilMs]): TypingSign => ({ chatId, untilMs }))
          .filter(({ untilMs }) => untilMs > this.clock.now()),
      events: async () => [...this.#events].map(([messageId, event]): EventRecord => ({ messageId, ...event })),
    }
  }

  #put(line: NewLine, by: Line['by']): Line {
    const { chatId, messageId, name, text, unfinished = false, replyTo = null, files = [] } = line
    const put: Line = {
      chatId,
      messageId,
      by,
      name,
      atMs: this.clock.now(),
      text,
      edits: 0,
      unfinished,
      replyTo,
      files,
      sequence: 0,
    }
    const lines = this.#lines.get(chatId) ?? []
    lines.push(put)
    this.#lines.set(chatId, lines)
    this.#byId.set(messageId, put)
    if (lines.length > this.#history) this.#byId.delete(lines.shift()?.messageId ?? '')
    return put
  }

  #shownOf({ chatId, afterSequence = 0, limit = this.#history }: SentQuery): readonly ShownMessage[] {
    return this.#sent
      .after(afterSequence)
      .filter((line) => this.#byId.get(line.messageId) === line && (chatId === undefined || line.chatId === chatId))
      .slice(0, limit)
      .map(shownMessage)
  }

  async #wait(query: SentQuery & { count?: number; timeoutMs?: number }): Promise<readonly ShownMessage[]> {
    const { count = 1, timeoutMs = 10_000 } = query
    const isEnough = (): boolean => this.#shownOf(query).length >= count
    if (!isEnough()) {
      const enough = new AbortController()
      const look = (): void => {
        if (isEnough()) enough.abort()
      }
      this.#watchers.add(look)
      await this.clock.sleep(timeoutMs, enough.signal)
      this.#watchers.delete(look)
    }
    return this.#shownOf(query)
  }

  #changed(): void {
    for (const look of this.#watchers) look()
  }
}

const shownMessage = (line: Line): ShownMessage => ({
  sequence: line.sequence,
  chatId: line.chatId,
  messageId: line.messageId,
  atMs: line.atMs,
  text: line.text,
  edits: line.edits,
  unfinished: line.unfinished,
  replyTo: line.replyTo,
  files: line.files.map(shownFile),
})

const shownFile = ({ name, bytes }: ChatFile): ShownFile => ({
  name,
  size: bytes.length,
  base64: bytes.length > SHOWN_BYTES ? '' : Buffer.from(bytes).toString('base64'),
})

const chatLine = (line: Line): ChatLine => ({
  messageId: line.messageId,
  by: line.by,
  name: line.name,
  atMs: line.atMs,
  text: line.text,
  unfinished: line.unfinished,
  edited: line.edits > 0,
  files: line.files.map(({ name }) => name),
})

const detailsOf = ({ by, text, replyTo, files }: Line): Pick<ChatLine, 'blocks' | 'replyTo' | 'contents'> => ({
  blocks: by === 'bot' ? markdownBlocks(text) : plainBlocks(text),
  replyTo,
  contents: files.map(shownFile),
})
