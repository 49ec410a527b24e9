import type { Database } from '@gatepost/sql'
import type { Assistant } from '../assistant/assistant.ts'
import type { HistoryBudget } from '../assistant/limits.ts'
import { type BotHandle, botHandle } from '../storage/bot-handle.ts'
import type { ChannelPlatform } from '../bound-platform.ts'
import type { ChannelEvent } from '../channels.ts'
import { type Conversations, createConversations } from '../conversations/conversations.ts'
import type { TurnResult } from '../conversations/turn.ts'
import type { ConversationRow, MessageRow, Pending } from '../conversations/turns.sql.ts'
import type { EventBus } from '../event-bus.ts'
import { type Figures, observe } from '../metrics.ts'
import type { AccessRules } from '../inbox/access.ts'
import { acceptBatch, readCursor } from '../inbox/inbox.sql.ts'
import { isStorable } from '../storage/storable.ts'
import type { DeliveryRow } from '../outbox/deliveries.sql.ts'
import { createOutbox, type Outbox } from '../outbox/outbox.ts'
import { createPace, type Pace } from '../outbox/pace.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { Chat, InboundEvent } from '../message.ts'
import type { Allowance, Connection } from '../connection.ts'
import { deliveryRecord, messageRecord } from '../storage/records.ts'
import { createSlots, type Slots } from '../semaphore.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { Lease } from './lease.sql.ts'

/** What every bot of this process shares. */
export interface Shared {
  readonly database: Database<ChannelTables>
  readonly io: PlatformIo
  readonly assistant: Assistant
  readonly bus: EventBus
  readonly figures: Figures
  readonly turnSlots: Slots
  readonly mediaDir: string
  readonly history: HistoryBudget
  readonly pacing: boolean
}

/** One bot, and who is told what happens to it. Times are milliseconds since the Unix epoch. */
export interface BotOptions {
  readonly accountId: string
  readonly bot: string
  readonly platform: ChannelPlatform
  readonly connection: Connection
  readonly lease: Lease
  /** Read at every message: a change needs no restart. */
  readonly rules: () => AccessRules
  readonly onLeaseLost: (error: unknown) => void
  readonly onRejected: (detail: string) => void
  readonly onInbound: (atMs: number) => void
  readonly onDelivered: (atMs: number) => void
}

/** Everything that works for one bot while this process holds its lease. */
export interface BotWorkers {
  readonly handle: BotHandle
  readonly pace: Pace
  readonly outbox: Outbox
  /** `null`: the platform counts nothing. */
  allowance(chat: Chat): Allowance | null
  cursor(): Promise<string | null>
  accept(batch: readonly InboundEvent[], cursor: string | null): Promise<void>
  /** Tells of deliveries that have been stored, and sends them. */
  deliver(rows: readonly DeliveryRow[]): void
  /** Picks up what waits in the database. */
  recover(): Promise<void>
  /** Parks what cannot be finished before `signal` aborts. */
  stop(signal: AbortSignal): Promise<void>
}

/** Most calls of one platform at the same time. */
const SEND_SLOTS = 32

export const createBotWorkers = (shared: Shared, options: BotOptions): BotWorkers => new Workers(shared, options)

class Workers implements BotWorkers {
  readonly handle: BotHandle
  readonly pace: Pace
  readonly outbox: Outbox
  readonly #conversations: Conversations
  readonly #shared: Shared
  readonly #options: BotOptions

  constructor(shared: Shared, options: BotOptions) {
    const { io, figures } = shared
    const { platform, connection } = options
    this.#shared = shared
    this.#options = options
    this.handle = botHandle(shared.database, options.bot, options.lease, options.onLeaseLost)
    this.pace = createPace(platform.limits.pace, io.clock, shared.pacing)
    const common = { ...io, handle: this.handle, connection, pace: this.pace }
    this.outbox = createOutbox({
      ...common,
      slots: createSlots(SEND_SLOTS),
      onChange: (row) => this.#deliveryChanged(row),
      onRetry: () => {
        figures.deliveries.retried += 1
      },
      onRejected: options.onRejected,
    })
    this.#conversations = createConversations({
      turn: { ...shared, ...common, platform },
      slots: shared.turnSlots,
      clock: io.clock,
      log: io.log,
      onTurn: (result, pending) => this.#turnEnded(result, pending),
    })
  }

  allowance(chat: Chat): Allowance | null {
    return this.#options.connection.can.allowance?.(chat) ?? null
  }

  cursor(): Promise<string | null> {
    return readCursor(this.handle)
  }

  async accept(batch: readonly InboundEvent[], cursor: string | null): Promise<void> {
    const { io, figures } = this.#shared
    const nowMs = io.clock.now()
    const storable = batch.filter(isStorable)
    if (storable.length < batch.length) {
      io.log.warn('Events that cannot be stored were dropped', {
        bot: this.handle.bot,
        count: batch.length - storable.length,
      })
    }
    const accepted = await acceptBatch(this.handle, storable, cursor, this.#options.rules(), nowMs)
    if (accepted.length > 0) this.#options.onInbound(nowMs)
    for (const { row, chat } of accepted) {
      if (row.state === 'ignored') figures.ignored += 1
      else {
        figures.received += 1
        this.#conversations.wake(row.conversation_id)
      }
      this.#tellMessage(row, { chat_id: chat.id, kind: chat.kind, title: chat.title ?? null })
    }
    // the turns need not wait for the disk, the acknowledgement must; before a turn shows anything, its own claim waits
    await this.#shared.database.flush()
  }

  async recover(): Promise<void> {
    await this.outbox.sweep()
    await this.#conversations.recover()
  }

  async stop(signal: AbortSignal): Promise<void> {
    await this.#conversations.stop(signal)
    await this.outbox.stop(signal)
  }

  deliver(rows: readonly DeliveryRow[]): void {
    for (const row of rows) this.#tellDelivery(row)
    this.outbox.push(rows)
  }

  #turnEnded(turn: TurnResult, { messages, conversation }: Pending): void {
    const { turns } = this.#shared.figures
    if (turn.result === 'retry') {
      turns.retried += 1
      return
    }
    turns[turn.result] += 1
    this.deliver(turn.rows)
    const { result: state, reason } = turn
    for (const row of messages) this.#tellMessage({ ...row, state, reason }, conversation)
  }

  #deliveryChanged(row: DeliveryRow): void {
    const { bus, figures } = this.#shared
    if (row.state === 'delivered') {
      figures.deliveries.delivered += 1
      if (row.received_at_ms !== null) observe(figures.answerMs, row.updated_at_ms - row.received_at_ms)
      this.#options.onDelivered(row.updated_at_ms)
    } else if (row.state === 'refused' || row.state === 'unknown') figures.deliveries[row.state] += 1
    this.#tellDelivery(row)
    bus.deliveryChanged(row.id)
  }

  #tellDelivery(row: DeliveryRow): void {
    this.#tell((at) => ({ ...at, type: 'delivery', delivery: deliveryRecord(row) }))
  }

  #tellMessage(row: MessageRow, conversation: Pick<ConversationRow, 'chat_id' | 'kind' | 'title'>): void {
    this.#tell((at) => ({ ...at, type: 'message', message: messageRecord(row, conversation) }))
  }

  #tell(event: (at: Pick<ChannelEvent, 'platform' | 'at'>) => ChannelEvent): void {
    const { bus, io } = this.#shared
    const { accountId, platform } = this.#options
    bus.emit(accountId, () => event({ platform: platform.id, at: io.clock.now() }))
  }
}
