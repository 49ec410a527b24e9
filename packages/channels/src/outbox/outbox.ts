import type { Transaction } from 'kysely'
import type { BotHandle } from '../storage/bot-handle.ts'
import { writePatiently } from '../retry.ts'
import { setUnreachable } from '../contacts/contacts.sql.ts'
import { moveChat } from '../conversations/chats.sql.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { Chat, OutboundPart, Outcome, Refused } from '../message.ts'
import type { Connection } from '../connection.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { Slots } from '../semaphore.ts'
import { changeFor, settled, decide, attemptOf, AWAIT_MS, isTooOld, judge, type Verdict } from './verdict.ts'
import {
  changeDelivery,
  claim,
  type DeliveryRow,
  knownMessages,
  nextOfChat,
  refuseWaiting,
  requeueDelivery,
  waitingChats,
} from './deliveries.sql.ts'
import type { Pace } from './pace.ts'
import { chatOf, toPart } from './content.ts'

/** Sends what is stored, one delivery at a time per chat and many chats at once. */
export interface Outbox {
  /** These rows have been stored just now: the newest of their chat. */
  push(rows: readonly DeliveryRow[]): void
  /** Something may wait for this chat. */
  wake(chatId: string): void
  /** Finds what waits in the database: at the start, and now and then for what another process has stored. */
  sweep(): Promise<void>
  /** Takes nothing new; resolves when the sends under way have ended. `signal` gives up on them. */
  stop(signal: AbortSignal): Promise<void>
}

export interface OutboxOptions {
  readonly handle: BotHandle
  readonly connection: Connection
  readonly pace: Pace
  readonly slots: Slots
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  /** Every change of a delivery, after it has been stored. */
  readonly onChange: (row: DeliveryRow) => void
  readonly onRetry: () => void
  /** The platform does not accept the credentials any more: nothing is sent until the outbox is made anew. */
  readonly onRejected: (detail: string) => void
}

interface Lane {
  /** Known to be next; empty: ask the database when `stale`. */
  rows: readonly DeliveryRow[]
  stale: boolean
}

const READ_AHEAD = 20
/** After a failure of our own database. */
const RECOVER_MS = 2_000
/** Not before the outbox is made anew. */
const HELD = Infinity
const DIED = 'the sending process ended before the platform answered'
const NOT_SENT: Outcome = { status: 'refused', code: 'network', detail: 'it was not sent' }

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
  /** Their claim may have been stored, but nothing was sent after it. */
  readonly #unsent = new Set<string>()
  /** Some lane is at work on them. */
  readonly #underWay = new Set<string>()
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
      // a lane under way knows its own time
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
    // until the first sweep something older may wait in the database
    const fresh: Lane = this.#swept ? { rows, stale: rows.length === 0 } : { rows: [], stale: true }
    this.#lanes.set(chatId, fresh)
    const run = this.#drive(chatId, fresh).finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  async #drive(chatId: string, lane: Lane): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        const [row, ...rest] = lane.rows
        if (row) {
          const againAtMs = await this.#alone(row)
          lane.rows = againAtMs === null ? rest : []
          if (againAtMs === null) continue
          if (againAtMs === HELD) break
          lane.stale = true
          const waitMs = againAtMs - this.#clock.now()
          if (waitMs > 0) await this.#clock.sleep(waitMs, this.#stopping.signal)
        } else if (lane.stale) {
          lane.stale = false
          lane.rows = await nextOfChat(this.#handle, chatId, READ_AHEAD)
          if (lane.rows.length === READ_AHEAD) lane.stale = true
        } else break
      } catch (error) {
        this.#log.error('What became of a delivery could not be stored', { chat: chatId, error })
        lane.rows = []
        lane.stale = true
        await this.#clock.sleep(RECOVER_MS, this.#stopping.signal)
      }
    }
    // in the same step as the last look, so that no `start` in between is lost
    this.#lanes.delete(chatId)
  }

  /** A chat that moves during a send brings it into a second lane, which must not take it for one that nobody makes. */
  async #alone(row: DeliveryRow): Promise<number | null> {
    if (this.#underWay.has(row.id)) return this.#clock.now() + RECOVER_MS
    this.#underWay.add(row.id)
    try {
      return await this.#attempt(row)
    } finally {
      this.#underWay.delete(row.id)
    }
  }

  /** @returns when to look at the chat again, `null`: at once. */
  async #attempt(row: DeliveryRow): Promise<number | null> {
    if (row.next_attempt_at_ms > this.#clock.now()) return row.next_attempt_at_ms
    if (row.state === 'sending') return this.#resolve(row)
    const chat = chatOf(row)
    const obstacle = this.#connection.can.allowance?.(chat).refused
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
      return this.#settle(claimed, chat, this.#givingUp.signal.aborted ? NOT_SENT : await this.#perform(row, part))
    }, this.#stopping.signal)
  }

  /** What cannot be sent now is not tried: an answer waits for the person, and says so once. */
  async #refuseUnsent(row: DeliveryRow, chat: Chat, obstacle: Refused): Promise<number | null> {
    const waits = row.kind === 'reply' && row.code === obstacle.code && !isTooOld(row.created_at_ms, this.#clock.now())
    return waits ? this.#clock.now() + AWAIT_MS : this.#settle(row, chat, obstacle)
  }

  async #perform(row: DeliveryRow, part: OutboundPart): Promise<Outcome> {
    const { edit } = this.#connection.can
    try {
      return row.platform_message_id !== null && part.kind === 'text' && edit
        ? await edit(part, row.platform_message_id, this.#givingUp.signal)
        : await this.#connection.send(part, this.#givingUp.signal)
    } catch (error) {
      const detail = 'the send failed in an unforeseen way'
      if (!this.#givingUp.signal.aborted) this.#log.error(detail, { delivery: row.id, error })
      return { status: 'unknown', detail }
    }
  }

  /** An earlier attempt has not told how it ended: this process was told nothing, or another one died over it. */
  async #resolve(row: DeliveryRow): Promise<number | null> {
    const known = decide(row, this.#connection.can)
    const todo = this.#unsent.has(row.id) && known !== 'repeat' ? 'send' : known
    if (todo === 'send' || todo === 'repeat') return this.#requeue(row, todo)
    const { findSent } = this.#connection.can
    if (todo !== 'find' || !findSent || row.mark === null) {
      return this.#settle(row, chatOf(row), { status: 'unknown', detail: row.reason ?? DIED })
    }
    const dueMs = Math.max(row.next_attempt_at_ms, row.updated_at_ms + findSent.settleMs)
    if (dueMs > this.#clock.now()) return dueMs
    const ours = await knownMessages(this.#handle, row.updated_at_ms)
    const found = await findSent.find(toPart(row), row.mark, ours, this.#givingUp.signal)
    const tooOld = isTooOld(row.created_at_ms, this.#clock.now())
    if (found.found === 'later') {
      if (!tooOld) return this.#clock.now() + Math.max(1_000, found.afterMs)
      return this.#settle({ ...row, mark: null }, chatOf(row), {
        status: 'unknown',
        detail: 'it could not be found out',
      })
    }
    if (found.found === 'absent') return tooOld ? this.#settle(row, chatOf(row), NOT_SENT) : this.#requeue(row, 'send')
    if (found.found === 'delivered')
      return this.#settle(row, chatOf(row), { status: 'delivered', messageId: found.messageId })
    return this.#settle({ ...row, mark: null }, chatOf(row), { status: 'unknown', detail: found.detail })
  }

  async #requeue(row: DeliveryRow, how: 'send' | 'repeat'): Promise<number> {
    this.#options.onRetry()
    const nowMs = this.#clock.now()
    const known = how === 'repeat' ? {} : { content_json: settled(row) }
    const changed = await this.#handle.write((tx) => requeueDelivery(tx, row.id, known, nowMs))
    this.#unsent.delete(row.id)
    if (changed) this.#options.onChange(changed)
    return nowMs
  }

  async #settle(row: DeliveryRow, chat: Chat, outcome: Outcome): Promise<number | null> {
    const nowMs = this.#clock.now()
    const verdict = judge(outcome, attemptOf(row, this.#connection.can, nowMs), nowMs, this.#options.random)
    const limited = outcome.status === 'refused' && outcome.code === 'rate_limited' && verdict.next === 'retry'
    if (limited) this.#options.pace.limited(chat, verdict.atMs)
    const patience = { clock: this.#clock, log: this.#log, signal: this.#stopping.signal }
    const store = async (tx: Transaction<ChannelTables>): Promise<readonly DeliveryRow[]> => {
      if (verdict.next === 'move') await moveChat(tx, this.#handle.bot, { chat, toChatId: verdict.toChatId })
      const changed = await changeDelivery(tx, row.id, changeFor(verdict, outcome, row, nowMs), nowMs)
      const unreachable = outcome.status === 'refused' && outcome.code === 'recipient_unreachable'
      if (!unreachable) return [changed]
      await setUnreachable(tx, this.#handle.bot, row.chat_id, outcome.detail)
      return [changed, ...(await refuseWaiting(tx, this.#handle.bot, row.chat_id, outcome.code, outcome.detail, nowMs))]
    }
    for (const changed of await writePatiently(this.#handle, store, patience)) this.#options.onChange(changed)
    return this.#next(verdict, row, outcome)
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
      case 'anew':
      case 'plain':
      case 'unreply':
        this.#log.warn('A delivery is sent again in another form', { delivery: row.id, why: verdict.next })
        return this.#clock.now()
      case 'finish':
        return this.#clock.now()
    }
  }
}
