import type { Database } from '@gatepost/sql'
import type { Assistant } from '../assistant/assistant.ts'
import type { HistoryBudget } from '../assistant/limits.ts'
import { type BotHandle, createBotHandle } from '../storage/bot-handle.ts'
import type { ChannelPlatform } from '../bound-platform.ts'
import type { ChannelEvent } from '../channels.ts'
import { type Conversations, createConversations } from '../conversations/conversations.ts'
import type { TurnResult } from '../conversations/turn.ts'
import type { ConversationRow, MessageRow, Pending } from '../conversations/turns.sql.ts'
import type { EventBus } from '../event-bus.ts'
import { type Metrics, observe } from '../metrics.ts'
import type { MediaQuota } from '../inbox/media-quota.ts'
import type { AccessRules } from '../inbox/access.ts'
import { acceptBatch, readCursor } from '../inbox/inbox.sql.ts'
import { readReplyContexts, type ReplyContextSealer } from '../inbox/reply-contexts.sql.ts'
import { isStorable } from '../storage/storable.ts'
import type { DeliveryRow } from '../outbox/deliveries.sql.ts'
import { createOutbox, type Outbox } from '../outbox/outbox.ts'
import type { Renderer } from '../outbox/renderer.ts'
import { createPace, type Pace } from '../outbox/pace.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { Chat, InboundEvent } from '../message.ts'
import type { Allowance, Connection } from '../connection.ts'
import { deliveryRecord, messageRecord } from '../storage/records.ts'
import { createSemaphore, type Semaphore } from '../semaphore.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { Lease } from './lease.sql.ts'

/** What all bots of this process share. */
export interface Shared {
  readonly database: Database<ChannelTables>
  readonly io: PlatformIo
  readonly assistant: Assistant
  readonly bus: EventBus
  readonly metrics: Metrics
  readonly turnSemaphore: Semaphore
  readonly mediaDir: string
  readonly mediaQuota: MediaQuota
  readonly renderer: Renderer
  readonly replyContexts: ReplyContextSealer
  readonly history: HistoryBudget
  readonly pacing: boolean
}

/** One bot, with callbacks for its events. Times are milliseconds since the Unix epoch. */
export interface BotOptions {
  readonly accountId: string
  readonly bot: string
  readonly platform: ChannelPlatform
  readonly connection: Connection
  readonly lease: Lease
  /** Called for every message, so that a change needs no restart. */
  readonly rules: () => AccessRules
  readonly onLeaseLost: (error: unknown) => void
  readonly onRejected: (detail: string) => void
  readonly onInbound: (atMs: number) => void
  readonly onDelivered: (atMs: number) => void
}

/** Everything that runs for one bot while this process holds its lease. */
export interface BotWorkers {
  readonly handle: BotHandle
  readonly pace: Pace
  readonly outbox: Outbox
  /** Returns what notifications may be sent to a chat; `null`: the platform has no such limit. */
  allowance(chat: Chat): Allowance | null
  cursor(): Promise<string | null>
  accept(batch: readonly InboundEvent[], cursor: string | null): Promise<void>
  /** Emits events for newly stored deliveries and sends them. */
  deliver(rows: readonly DeliveryRow[]): void
  /** Picks up pending messages and deliveries from the database. */
  recover(): Promise<void>
  /** Stops; work that cannot finish before `signal` aborts is parked. */
  stop(signal: AbortSignal): Promise<void>
}

/** Concurrent sends of one bot. */
const MAX_CONCURRENT_SENDS = 32

/** Creates the workers of one bot. */
export const createBotWorkers = (shared: Shared, options: BotOptions): BotWorkers => new Workers(shared, options)

class Workers implements BotWorkers {
  readonly handle: BotHandle
  readonly pace: Pace
  readonly outbox: Outbox
  readonly #conversations: Conversations
  readonly #shared: Shared
  readonly #options: BotOptions
  /** The connection has got the stored reply contexts. */
  #hasContexts = false

  constructor(shared: Shared, options: BotOptions) {
    const { io, metrics } = shared
    const { platform, connection } = options
    this.#shared = shared
    this.#options = options
    this.handle = createBotHandle(shared.database, options.bot, options.lease, options.onLeaseLost)
    this.pace = createPace(platform.limits.pace, io.clock, shared.pacing)
    const common = { ...io, handle: this.handle, connection, pace: this.pace }
    this.outbox = createOutbox({
      ...common,
      slots: createSemaphore(MAX_CONCURRENT_SENDS),
      onChange: (row) => this.#deliveryChanged(row),
      onRetry: () => {
        metrics.deliveries.retried += 1
      },
      onRejected: options.onRejected,
    })
    this.#conversations = createConversations({
      turn: { ...shared, ...common, platform },
      slots: shared.turnSemaphore,
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
    const { io, metrics } = this.#shared
    const nowMs = io.clock.now()
    const storable = batch.filter(isStorable)
    if (storable.length < batch.length) {
      io.log.warn('Dropped events that cannot be stored', {
        bot: this.handle.bot,
        count: batch.length - storable.length,
      })
    }
    const acceptance = { rules: this.#options.rules(), sealer: this.#shared.replyContexts, nowMs }
    const accepted = await acceptBatch(this.handle, storable, cursor, acceptance)
    if (accepted.length > 0) this.#options.onInbound(nowMs)
    for (const { row, chat } of accepted) {
      if (row.state === 'ignored') metrics.ignored += 1
      else {
        metrics.received += 1
        this.#conversations.wake(row.conversation_id)
      }
      this.#emitMessage(row, { chat_id: chat.id, kind: chat.kind, title: chat.title ?? null })
    }
    // the acknowledgement has to wait for the disk; turns need not, as each flushes before it shows anything
    await this.#shared.database.flush()
  }

  async recover(): Promise<void> {
    await this.#restoreContexts()
    await this.outbox.sweep()
    await this.#conversations.recover()
  }

  /** Once, before the first reply is sent. */
  async #restoreContexts(): Promise<void> {
    const { restoreContexts } = this.#options.connection.can
    if (!restoreContexts || this.#hasContexts) return
    restoreContexts(await readReplyContexts(this.handle, this.#shared.replyContexts))
    this.#hasContexts = true
  }

  async stop(signal: AbortSignal): Promise<void> {
    await this.#conversations.stop(signal)
    await this.outbox.stop(signal)
  }

  deliver(rows: readonly DeliveryRow[]): void {
    for (const row of rows) this.#emitDelivery(row)
    this.outbox.push(rows)
  }

  #turnEnded(turn: TurnResult, { messages, conversation }: Pending): void {
    const { turns } = this.#shared.metrics
    if (turn.result === 'retry') {
      turns.retried += 1
      return
    }
    turns[turn.result] += 1
    this.deliver(turn.rows)
    const { result: state, reason } = turn
    for (const row of messages) this.#emitMessage({ ...row, state, reason }, conversation)
  }

  #deliveryChanged(row: DeliveryRow): void {
    const { bus, metrics } = this.#shared
    if (row.state === 'delivered') {
      metrics.deliveries.delivered += 1
      if (row.received_at_ms !== null) observe(metrics.answerMs, row.updated_at_ms - row.received_at_ms)
      this.#options.onDelivered(row.updated_at_ms)
    } else if (row.state === 'refused' || row.state === 'unknown') metrics.deliveries[row.state] += 1
    this.#emitDelivery(row)
    bus.deliveryChanged(row.id)
  }

  #emitDelivery(row: DeliveryRow): void {
    this.#emit((at) => ({ ...at, type: 'delivery', delivery: deliveryRecord(row) }))
  }

  #emitMessage(row: MessageRow, conversation: Pick<ConversationRow, 'chat_id' | 'kind' | 'title'>): void {
    this.#emit((at) => ({ ...at, type: 'message', message: messageRecord(row, conversation) }))
  }

  #emit(event: (at: Pick<ChannelEvent, 'platform' | 'at'>) => ChannelEvent): void {
    const { bus, io } = this.#shared
    const { accountId, platform } = this.#options
    bus.emit(accountId, () => event({ platform: platform.id, at: io.clock.now() }))
  }
}
