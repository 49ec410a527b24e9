import type { Transaction } from 'kysely'
import type { BotHandle } from '../storage/bot-handle.ts'
import { writeWithRetry } from '../retry.ts'
import { setUnreachable } from '../contacts/contacts.sql.ts'
import { moveChat } from '../conversations/chats.sql.ts'
import { deleteReplyContexts } from '../inbox/reply-contexts.sql.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { Chat, OutboundPart, Outcome, Refused } from '../message.ts'
import type { Connection } from '../connection.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { Semaphore } from '../semaphore.ts'
import {
  toDeliveryChange,
  clearBegun,
  resolveUndecided,
  toAttempt,
  AWAIT_MS,
  isTooOld,
  decideVerdict,
  type Verdict,
} from './verdict.ts'
import {
  changeDelivery,
  claim,
  type DeliveryRow,
  listKnownMessages,
  listNextDeliveries,
  refuseWaiting,
  requeueDelivery,
  waitingChats,
} from './deliveries.sql.ts'
import type { Pace } from './pace.ts'
import { toChat, toPart } from './content.ts'

/** Sends stored deliveries, one at a time per chat and many chats at once. */
export interface Outbox {
  /** Sends rows that were just stored and are the newest of their chat. */
  push(rows: readonly DeliveryRow[]): void
  /** Checks a chat for pending deliveries. */
  wake(chatId: string): void
  /** Picks up pending deliveries from the database: at the start, and regularly for those of other processes. */
  sweep(): Promise<void>
  /** Starts no new sends and resolves when those in flight have ended. `signal` aborts them. */
  stop(signal: AbortSignal): Promise<void>
}

/** Options of `createOutbox`. */
export interface OutboxOptions {
  readonly handle: BotHandle
  readonly connection: Connection
  readonly pace: Pace
  readonly slots: Semaphore
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  /** Every change of a delivery, after it has been stored. */
  readonly onChange: (row: DeliveryRow) => void
  readonly onRetry: () => void
  /** The platform rejected the credentials: nothing is sent until a new outbox is created. */
  readonly onRejected: (detail: string) => void
}

interface Lane {
  /** The next rows; empty: query the database when `stale`. */
  rows: readonly DeliveryRow[]
  stale: boolean
}

const READ_AHEAD = 20
/** After a failure of our own database. */
const RECOVER_MS = 2_000
/** Until a new outbox is created. */
const HELD = Infinity
const DIED = 'the sending process exited before the platform responded'
const NOT_SENT: Outcome = { status: 'refused', code: 'network', detail: "it wasn't sent" }

/** Creates the outbox of one bot. */
export const createOutbox = (options: OutboxOptions): Outbox => new Lanes(options)

class Lanes implements Outbox {
  readonly #options: OutboxOptions
  readonly #handle: BotHandle
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #log: Log
  readonly #lanes = new Map<string, Lane>()
  readonly #running = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #givingUp = new AbortController()
  /** Deliveries whose claim may have been stored, but which were not sent. */
  readonly #unsent = new Set<string>()
  /** Deliveries that a lane is working on. */
  readonly #inFlight = new Set<string>()
  #swept = false

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#handle = options.handle
    this.#connection = options.connection
    this.#clock = options.clock
    this.#log = options.log
  }

  push(rows: readonly DeliveryRow[]): void {
    for (const [chatId, ofChat] of Map.groupBy(rows, (row) => row.chat_id)) this.#start(chatId, ofChat)
  }

  wake(chatId: string): void {
    this.#start(chatId, [])
  }

  async sweep(): Promise<void> {
    const chats = await waitingChats(this.#handle)
    this.#swept = true
    for (const chatId of chats) {
      // an active lane schedules itself
      if (!this.#lanes.has(chatId)) this.#start(chatId, [])
    }
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#stopping.abort()
    const giveUp = (): void => this.#givingUp.abort()
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    await Promise.all(this.#running)
    signal.removeEventListener('abort', giveUp)
  }

  #start(chatId: string, rows: readonly DeliveryRow[]): void {
    if (this.#stopping.signal.aborted) return
    const lane = this.#lanes.get(chatId)
    if (lane) {
      lane.stale = true
      return
    }
    // until the first sweep, older deliveries may be pending in the database
    const fresh: Lane = this.#swept ? { rows, stale: rows.length === 0 } : { rows: [], stale: true }
    this.#lanes.set(chatId, fresh)
    const run = this.#runLane(chatId, fresh).finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  async #runLane(chatId: string, lane: Lane): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        const [row, ...rest] = lane.rows
        if (row) {
          const againAtMs = await this.#attemptOnce(row)
          lane.rows = againAtMs === null ? rest : []
          if (againAtMs === null) continue
          if (againAtMs === HELD) break
          lane.stale = true
          const waitMs = againAtMs - this.#clock.now()
          if (waitMs > 0) await this.#clock.sleep(waitMs, this.#stopping.signal)
        } else if (lane.stale) {
          lane.stale = false
          lane.rows = await listNextDeliveries(this.#handle, chatId, READ_AHEAD)
          if (lane.rows.length === READ_AHEAD) lane.stale = true
        } else break
      } catch (error) {
        this.#log.error("Couldn't store the outcome of a delivery", { chat: chatId, error })
        lane.rows = []
        lane.stale = true
        await this.#clock.sleep(RECOVER_MS, this.#stopping.signal)
      }
    }
    // in the same tick as the last check, so that no `start` in between is lost
    this.#lanes.delete(chatId)
  }

  /** When a chat moves during a send, a second lane sees the delivery and must not take it for an abandoned one. */
  async #attemptOnce(row: DeliveryRow): Promise<number | null> {
    if (this.#inFlight.has(row.id)) return this.#clock.now() + RECOVER_MS
    this.#inFlight.add(row.id)
    try {
      return await this.#attempt(row)
    } finally {
      this.#inFlight.delete(row.id)
    }
  }

  /** @returns when to check the chat again; `null`: at once. */
  async #attempt(row: DeliveryRow): Promise<number | null> {
    if (row.next_attempt_at_ms > this.#clock.now()) return row.next_attempt_at_ms
    if (row.state === 'sending') return this.#resolveUndecided(row)
    const chat = toChat(row)
    const obstacle = this.#connection.can.allowance?.(chat, row.kind !== 'send').refused
    if (obstacle) return this.#refuseUnsent(row, chat, obstacle)
    return this.#options.slots.run(async () => {
      const wait = this.#options.pace.take(chat)
      if (wait > 0) return this.#clock.now() + wait
      const part = toPart(row)
      const mark = this.#connection.can.findSent?.mark(part) ?? null
      this.#unsent.add(row.id)
      const isClaimed = await claim(this.#handle, row.id, mark, this.#clock.now())
      this.#unsent.delete(row.id)
      if (!isClaimed) return this.#clock.now()
      const claimed = { ...row, attempts: row.attempts + 1, mark, state: 'sending' as const }
      return this.#applyOutcome(
        claimed,
        chat,
        this.#givingUp.signal.aborted ? NOT_SENT : await this.#callPlatform(row, part),
      )
    }, this.#stopping.signal)
  }

  /** Skips a send that is impossible now: a reply waits for the user's next message, and this is recorded once. */
  async #refuseUnsent(row: DeliveryRow, chat: Chat, obstacle: Refused): Promise<number | null> {
    const waits = row.kind === 'reply' && row.code === obstacle.code && !isTooOld(row.created_at_ms, this.#clock.now())
    return waits ? this.#clock.now() + AWAIT_MS : this.#applyOutcome(row, chat, obstacle)
  }

  async #callPlatform(row: DeliveryRow, part: OutboundPart): Promise<Outcome> {
    const { edit } = this.#connection.can
    try {
      return row.platform_message_id !== null && part.kind === 'text' && edit
        ? await edit(part, row.platform_message_id, this.#givingUp.signal)
        : await this.#connection.send(part, this.#givingUp.signal)
    } catch (error) {
      const detail = 'the send failed unexpectedly'
      if (!this.#givingUp.signal.aborted) this.#log.error(detail, { delivery: row.id, error })
      return { status: 'unknown', detail }
    }
  }

  /** Resolves an attempt with an unknown outcome: there was no response, or the sending process died. */
  async #resolveUndecided(row: DeliveryRow): Promise<number | null> {
    const known = resolveUndecided(row, this.#connection.can)
    const resolution = this.#unsent.has(row.id) && known !== 'repeat' ? 'send' : known
    if (resolution === 'send' || resolution === 'repeat') return this.#requeue(row, resolution)
    const { findSent } = this.#connection.can
    if (resolution !== 'find' || !findSent || row.mark === null) {
      return this.#applyOutcome(row, toChat(row), { status: 'unknown', detail: row.reason ?? DIED })
    }
    const dueMs = Math.max(row.next_attempt_at_ms, row.updated_at_ms + findSent.settleMs)
    if (dueMs > this.#clock.now()) return dueMs
    const ours = await listKnownMessages(this.#handle, row.updated_at_ms)
    const found = await findSent.find(toPart(row), row.mark, ours, this.#givingUp.signal)
    const tooOld = isTooOld(row.created_at_ms, this.#clock.now())
    if (found.found === 'later') {
      if (!tooOld) return this.#clock.now() + Math.max(1_000, found.afterMs)
      return this.#applyOutcome({ ...row, mark: null }, toChat(row), {
        status: 'unknown',
        detail: "couldn't find out whether it was delivered",
      })
    }
    if (found.found === 'absent')
      return tooOld ? this.#applyOutcome(row, toChat(row), NOT_SENT) : this.#requeue(row, 'send')
    if (found.found === 'delivered')
      return this.#applyOutcome(row, toChat(row), { status: 'delivered', messageId: found.messageId })
    return this.#applyOutcome({ ...row, mark: null }, toChat(row), { status: 'unknown', detail: found.detail })
  }

  async #requeue(row: DeliveryRow, how: 'send' | 'repeat'): Promise<number> {
    this.#options.onRetry()
    const nowMs = this.#clock.now()
    const known = how === 'repeat' ? {} : { content_json: clearBegun(row) }
    const changed = await this.#handle.write((tx) => requeueDelivery(tx, row.id, known, nowMs))
    this.#unsent.delete(row.id)
    if (changed) this.#options.onChange(changed)
    return nowMs
  }

  async #applyOutcome(row: DeliveryRow, chat: Chat, outcome: Outcome): Promise<number | null> {
    const nowMs = this.#clock.now()
    const verdict = decideVerdict(outcome, toAttempt(row, this.#connection.can, nowMs), nowMs, this.#options.random)
    const limited = outcome.status === 'refused' && outcome.code === 'rate_limited' && verdict.next === 'retry'
    if (limited) this.#options.pace.limited(chat, verdict.atMs)
    const patience = { clock: this.#clock, log: this.#log, signal: this.#stopping.signal }
    const store = async (tx: Transaction<ChannelTables>): Promise<readonly DeliveryRow[]> => {
      if (verdict.next === 'move') await moveChat(tx, this.#handle.bot, { chat, toChatId: verdict.toChatId })
      const changed = await changeDelivery(tx, row.id, toDeliveryChange(verdict, outcome, row, nowMs), nowMs)
      const unreachable = outcome.status === 'refused' && outcome.code === 'recipient_unreachable'
      const rows = unreachable ? [changed, ...(await this.#refuseChat(tx, row, outcome, nowMs))] : [changed]
      if (this.#connection.can.restoreContexts) for (const ended of rows) await deleteReplyContexts(tx, ended)
      return rows
    }
    for (const changed of await writeWithRetry(this.#handle, store, patience)) this.#options.onChange(changed)
    return this.#next(verdict, row, outcome)
  }

  /** Nothing more reaches the chat of this delivery. @returns the other deliveries that were refused */
  async #refuseChat(
    tx: Transaction<ChannelTables>,
    { chat_id }: DeliveryRow,
    { code, detail }: Refused,
    nowMs: number,
  ): Promise<readonly DeliveryRow[]> {
    const { bot } = this.#handle
    await setUnreachable(tx, bot, chat_id, detail)
    return refuseWaiting(tx, bot, chat_id, code, detail, nowMs)
  }

  #next(verdict: Verdict, row: DeliveryRow, outcome: Outcome): number | null {
    switch (verdict.next) {
      case 'delivered':
      case 'dead':
        return null
      case 'retry':
      case 'find':
        this.#options.onRetry()
        return verdict.atMs
      case 'hold':
        this.#stopping.abort()
        this.#options.onRejected(outcome.status === 'refused' ? outcome.detail : '')
        return HELD
      case 'move':
        this.#start(verdict.toChatId, [])
        return this.#clock.now()
      case 'resend_as_new':
      case 'plain':
      case 'unreply':
        this.#log.warn('Retrying a delivery in another form', { delivery: row.id, why: verdict.next })
        return this.#clock.now()
      case 'finish':
        return this.#clock.now()
    }
  }
}
