import { BoundedLog, evictOldest } from './bounded-log.ts'
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

/** A file in a chat. */
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
  /** Position among the bot's messages, from 1; 0 for a person's message. */
  sequence: number
}

/** A message to add to a chat. */
export interface NewLine {
  readonly chatId: string
  readonly messageId: string
  readonly name: string
  readonly text: string
  readonly unfinished?: boolean
  readonly replyTo?: string | null
  readonly files?: readonly ChatFile[]
}

/** Largest file whose content `sent` returns, in bytes. */
const SHOWN_BYTES = 64 * 1024
const BODY_SHOWN = 64 * 1024

/** Chats as people see them, and a record of the wire: the part of the control operations that all platforms share. */
export class ChatStore {
  readonly clock: EmulatorClock
  readonly #history: number
  readonly #lines = new Map<string, Line[]>()
  readonly #byId = new Map<string, Line>()
  readonly #sent: BoundedLog<Line>
  readonly #requests: BoundedLog<RequestRecord & { status: number }>
  readonly #events = new Map<string, { deliveries: number; confirmedAtMs: number | null }>()
  readonly #typing = new Map<string, number>()
  readonly #watchers = new Set<() => void>()

  /** @param history Number of requests, messages and events to keep. */
  constructor(clock: EmulatorClock, history: number) {
    if (!Number.isInteger(history) || history < 1) throw new RangeError('history must be an integer of at least 1')
    this.clock = clock
    this.#history = history
    this.#sent = new BoundedLog(history)
    this.#requests = new BoundedLog(history)
  }

  /** Adds a person's message. */
  addPersonMessage(line: NewLine): void {
    this.#append(line, 'person')
  }

  /** Adds a message of the bot. */
  addBotMessage(line: NewLine): void {
    const put = this.#append(line, 'bot')
    put.sequence = this.#sent.push(put)
    this.#notifyWatchers()
  }

  /** Replaces the text of a bot's message. Returns whether the message exists. */
  replaceBotText(messageId: string, text: string, unfinished = false): boolean {
    const line = this.#byId.get(messageId)
    if (line?.by !== 'bot') return false
    if (line.text !== text) line.edits += 1
    line.text = text
    line.unfinished = unfinished
    this.#notifyWatchers()
    return true
  }

  /** Replaces the text of a person's message. Returns whether the message exists. */
  editPersonMessage(messageId: string, text: string): boolean {
    const line = this.#byId.get(messageId)
    if (line?.by !== 'person') return false
    if (line.text !== text) line.edits += 1
    line.text = text
    return true
  }

  /** Removes a message. Returns whether it existed. */
  removeMessage(messageId: string): boolean {
    const line = this.#byId.get(messageId)
    if (!line) return false
    this.#byId.delete(messageId)
    const lines = this.#lines.get(line.chatId) ?? []
    lines.splice(lines.indexOf(line), 1)
    return true
  }

  /** Returns the message, or `null` when it doesn't exist. */
  findMessage(
    messageId: string,
  ): (Pick<Line, 'chatId' | 'by' | 'text' | 'atMs' | 'name' | 'replyTo'> & NewLine) | null {
    return this.#byId.get(messageId) ?? null
  }

  /** Returns all messages of a chat, oldest first. */
  listMessages(chatId: string): readonly Readonly<Line>[] {
    return this.#lines.get(chatId) ?? []
  }

  /** Records a call. Returns a function that records its HTTP status. */
  recordRequest(record: Omit<RequestRecord, 'sequence' | 'atMs' | 'status'>, status = 0): (status: number) => void {
    const sequence = this.#requests.last + 1
    const body = record.body.slice(0, BODY_SHOWN)
    const stored = { ...record, body, status, sequence, atMs: this.clock.now() }
    this.#requests.push(stored)
    return (answerStatus) => {
      stored.status = answerStatus
    }
  }

  /** Counts a delivery of an event to the bot. */
  recordDelivery(messageId: string): void {
    const event = this.#events.get(messageId)
    if (event) event.deliveries += 1
    else this.#events.set(messageId, { deliveries: 1, confirmedAtMs: null })
    evictOldest(this.#events, this.#history)
  }

  /** Records when the bot first confirmed an event. */
  recordConfirmation(messageId: string): void {
    const event = this.#events.get(messageId)
    if (event) event.confirmedAtMs ??= this.clock.now()
  }

  /** Shows the typing indicator for `ms`; 0 removes it. */
  setTyping(chatId: string, ms: number): void {
    if (ms > 0) this.#typing.set(chatId, this.clock.now() + ms)
    else this.#typing.delete(chatId)
  }

  /** Returns the control operations that depend only on this store. */
  operations(): Pick<PlatformControl, 'sent' | 'waitForSent' | 'conversation' | 'requests' | 'typing' | 'events'> {
    return {
      sent: async (query = {}) => this.#listSent(query),
      waitForSent: (query = {}) => this.#waitForSent(query),
      conversation: async ({ chatId, limit = 1_000, details = false }) =>
        this.listMessages(chatId)
          .slice(-limit)
          .map((line) => (details ? { ...toChatLine(line), ...toDetails(line) } : toChatLine(line))),
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

  #append(line: NewLine, by: Line['by']): Line {
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

  #listSent({ chatId, afterSequence = 0, limit = this.#history }: SentQuery): readonly ShownMessage[] {
    return this.#sent
      .after(afterSequence)
      .filter((line) => this.#byId.get(line.messageId) === line && (chatId === undefined || line.chatId === chatId))
      .slice(0, limit)
      .map(toShownMessage)
  }

  async #waitForSent(query: SentQuery & { count?: number; timeoutMs?: number }): Promise<readonly ShownMessage[]> {
    const { count = 1, timeoutMs = 10_000 } = query
    const hasEnough = (): boolean => this.#listSent(query).length >= count
    if (!hasEnough()) {
      const done = new AbortController()
      const check = (): void => {
        if (hasEnough()) done.abort()
      }
      this.#watchers.add(check)
      await this.clock.sleep(timeoutMs, done.signal)
      this.#watchers.delete(check)
    }
    return this.#listSent(query)
  }

  #notifyWatchers(): void {
    for (const notify of this.#watchers) notify()
  }
}

const toShownMessage = (line: Line): ShownMessage => ({
  sequence: line.sequence,
  chatId: line.chatId,
  messageId: line.messageId,
  atMs: line.atMs,
  text: line.text,
  edits: line.edits,
  unfinished: line.unfinished,
  replyTo: line.replyTo,
  files: line.files.map(toShownFile),
})

const toShownFile = ({ name, bytes }: ChatFile): ShownFile => ({
  name,
  size: bytes.length,
  base64: bytes.length > SHOWN_BYTES ? '' : Buffer.from(bytes).toString('base64'),
})

const toChatLine = (line: Line): ChatLine => ({
  messageId: line.messageId,
  by: line.by,
  name: line.name,
  atMs: line.atMs,
  text: line.text,
  unfinished: line.unfinished,
  edited: line.edits > 0,
  files: line.files.map(({ name }) => name),
})

const toDetails = ({ by, text, replyTo, files }: Line): Pick<ChatLine, 'blocks' | 'replyTo' | 'contents'> => ({
  blocks: by === 'bot' ? markdownBlocks(text) : plainBlocks(text),
  replyTo,
  contents: files.map(toShownFile),
})
