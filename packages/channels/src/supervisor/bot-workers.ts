import type { Assistant } from '../assistant/assistant.ts'
import type { HistoryBudget } from '../assistant/history.ts'
import { type BotHandle, botHandle } from '../bot-handle.ts'
import type { ChannelPlatform } from '../bound-platform.ts'
import type { DeliveryRecord, MessageRecord } from '../channels.ts'
import { type Conversations, createConversations } from '../conversations/conversations.ts'
import type { EventBus } from '../event-bus.ts'
import { type Figures, observe } from '../figures.ts'
import type { AccessRules } from '../inbox/access.ts'
import { acceptBatch, readCursor } from '../inbox/inbox.sql.ts'
import type { DeliveryRow } from '../outbox/deliveries.sql.ts'
import { createOutbox, type Outbox } from '../outbox/outbox.ts'
import { createPace, type Pace } from '../outbox/pace.ts'
import type { Connection, InboundEvent, PlatformIo } from '../platform.ts'
import { deliveryRecord, messageRecord } from '../records.ts'
import type { Slots } from '../slots.ts'
import type { Database } from '@gatepost/sql'
import type { ChannelTables } from '../schema.ts'
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
  cursor(): Promise<string | null>
  accept(batch: readonly InboundEvent[], cursor: string | null): Promise<void>
  /** Picks up what waits in the database. */
  recover(): Promise<void>
  /** Parks what cannot be finished before `signal` aborts. */
  stop(signal: AbortSignal): Promise<void>
}

/** Most calls of one platform at the same time. */
const SEND_SLOTS = 32

export function createBotWorkers(
  shared: Shared,
  options: BotOptions,
  createSlots: (size: number) => Slots,
): BotWorkers {
  const { io, bus, figures, database } = shared
  const { accountId, bot, platform, connection } = options
  const handle = botHandle(database, bot, options.lease, options.onLeaseLost)
  const pace = createPace(platform.limits.pace, io.clock, shared.pacing)

  const outbox = createOutbox({
    handle,
    connection,
    pace,
    slots: createSlots(SEND_SLOTS),
    clock: io.clock,
    random: io.random,
    log: io.log,
    onChange: (row) => deliveryChanged(row),
    onRetry: () => {
      figures.deliveries.retried += 1
    },
    onRejected: options.onRejected,
  })

  const conversations: Conversations = createConversations({
    turn: { ...shared, ...io, handle, platform, connection, pace },
    slots: shared.turnSlots,
    clock: io.clock,
    log: io.log,
    onTurn: (result, pending) => {
      if (result.result === 'retry') {
        figures.turns.retried += 1
        return
      }
      figures.turns[result.result] += 1
      outbox.push(result.rows)
      const state = result.result
      for (const row of pending.messages) {
        tell({ type: 'message', record: () => messageRecord({ ...row, state }, pending.conversation) })
      }
    },
  })

  function tell(
    what:
      | { readonly type: 'message'; readonly record: () => MessageRecord }
      | { readonly type: 'delivery'; readonly record: () => DeliveryRecord },
  ): void {
    bus.emit(accountId, () => {
      const at = { platform: platform.id, at: io.clock.now() }
      return what.type === 'message'
        ? { ...at, type: 'message', message: what.record() }
        : { ...at, type: 'delivery', delivery: what.record() }
    })
  }

  function deliveryChanged(row: DeliveryRow): void {
    if (row.state === 'delivered') {
      figures.deliveries.delivered += 1
      if (row.received_at_ms !== null) observe(figures.answerMs, row.updated_at_ms - row.received_at_ms)
      options.onDelivered(row.updated_at_ms)
    } else if (row.state === 'refused' || row.state === 'unknown') figures.deliveries[row.state] += 1
    tell({ type: 'delivery', record: () => deliveryRecord(row) })
    bus.deliveryChanged(row.id)
  }

  return {
    handle,
    pace,
    outbox,
    cursor: () => readCursor(handle),
    async accept(batch, cursor) {
      const nowMs = io.clock.now()
      const accepted = await acceptBatch(handle, batch, cursor, options.rules(), nowMs)
      if (accepted.length > 0) options.onInbound(nowMs)
      for (const { row, chat } of accepted) {
        if (row.state === 'ignored') figures.ignored += 1
        else {
          figures.received += 1
          conversations.wake(row.conversation_id)
        }
        const conversation = { chat_id: chat.id, kind: chat.kind, title: chat.title ?? null }
        tell({ type: 'message', record: () => messageRecord(row, conversation) })
      }
    },
    async recover() {
      await outbox.sweep()
      await conversations.recover()
    },
    async stop(signal) {
      await conversations.stop(signal)
      await outbox.stop(signal)
    },
  }
}
