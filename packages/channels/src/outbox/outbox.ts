import type { BotHandle } from '../bot-handle.ts'
import { setUnreachable } from '../contacts/contacts.sql.ts'
import { moveChat } from '../inbox/inbox.sql.ts'
import type { Chat, Clock, Connection, Log, Outcome } from '../platform.ts'
import type { Slots } from '../slots.ts'
import { readContent } from './content.ts'
import {
  changeDelivery,
  claim,
  type DeliveryChange,
  type DeliveryRow,
  knownMessages,
  nextOfChat,
  refuseWaiting,
  waitingChats,
} from './deliveries.sql.ts'
import type { Pace } from './pace.ts'
import { chatOf, toPart } from './part.ts'
import { judge, type Verdict } from './verdict.ts'

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
const HELD = Number.POSITIVE_INFINITY

export function createOutbox(options: OutboxOptions): Outbox {
  const { handle, connection, clock, log } = options
  const lanes = new Map<string, Lane>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const givingUp = new AbortController()
  let lastLimited: { chatId: string; atMs: number } | null = null

  function start(chatId: string, rows: readonly DeliveryRow[]): void {
    if (stopping.signal.aborted) return
    const lane = lanes.get(chatId)
    if (lane) {
      lane.stale = true
      return
    }
    const fresh: Lane = { rows, stale: rows.length === 0 }
    lanes.set(chatId, fresh)
    const run = drive(chatId, fresh).finally(() => running.delete(run))
    running.add(run)
  }

  async function drive(chatId: string, lane: Lane): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const [row, ...rest] = lane.rows
        if (row) {
          const againAtMs = await attempt(row)
          lane.rows = againAtMs === null ? rest : []
          if (againAtMs === null) continue
          if (againAtMs === HELD) break
          lane.stale = true
          await clock.sleep(againAtMs - clock.now(), stopping.signal)
        } else if (lane.stale) {
          lane.stale = false
          lane.rows = await nextOfChat(handle, chatId, READ_AHEAD)
          if (lane.rows.length === READ_AHEAD) lane.stale = true
        } else break
      } catch (error) {
        log.error('outbox: a delivery could not be stored', { chat: chatId, error })
        lane.rows = []
        lane.stale = true
        await clock.sleep(RECOVER_MS, stopping.signal)
      }
    }
    // in the same step as the last look, so that no `start` in between is lost
    lanes.delete(chatId)
  }

  /** @returns when to look at the chat again, `null`: at once. */
  async function attempt(row: DeliveryRow): Promise<number | null> {
    if (row.next_attempt_at_ms > clock.now()) return row.next_attempt_at_ms
    if (row.state === 'sending') return resolve(row)
    const chat = chatOf(row)
    const wait = options.pace.take(chat)
    if (wait > 0) return clock.now() + wait
    return options.slots.run(async () => {
      const part = toPart(row)
      const mark = connection.can.findSent?.mark(part) ?? null
      if (!(await claim(handle, row.id, mark, clock.now()))) return clock.now()
      const claimed = { ...row, attempts: row.attempts + 1, mark, state: 'sending' as const }
      const { edit } = connection.can
      const outcome =
        row.platform_message_id !== null && part.kind === 'text' && edit
          ? await edit(part, row.platform_message_id, givingUp.signal)
          : await connection.send(part, givingUp.signal)
      return settle(claimed, chat, outcome)
    })
  }

  /** An earlier attempt has not told how it ended: this process was told nothing, or another one died over it. */
  async function resolve(row: DeliveryRow): Promise<number | null> {
    const { findSent, resend } = connection.can
    // repeating an edit shows nothing twice
    if (resend || row.platform_message_id !== null) return requeue(row)
    if (!findSent || row.mark === null) {
      return settle(row, chatOf(row), {
        status: 'unknown',
        detail: row.reason ?? 'the sending process ended before the platform answered',
      })
    }
    const dueMs = Math.max(row.next_attempt_at_ms, row.updated_at_ms + findSent.settleMs)
    if (dueMs > clock.now()) return dueMs
    const known = await knownMessages(handle, row.updated_at_ms)
    const found = await findSent.find(toPart(row), row.mark, known, givingUp.signal)
    if (found.found === 'later') return clock.now() + Math.max(1_000, found.afterMs)
    if (found.found === 'absent') return requeue(row)
    if (found.found === 'delivered')
      return settle(row, chatOf(row), { status: 'delivered', messageId: found.messageId })
    return settle({ ...row, mark: null }, chatOf(row), { status: 'unknown', detail: found.detail })
  }

  async function requeue(row: DeliveryRow): Promise<null> {
    options.onRetry()
    const changed = await handle.write((tx) =>
      changeDelivery(tx, row.id, { state: 'queued', next_attempt_at_ms: clock.now() }, clock.now()),
    )
    const lane = lanes.get(row.chat_id)
    if (lane) lane.stale = true
    options.onChange(changed)
    return null
  }

  async function settle(row: DeliveryRow, chat: Chat, outcome: Outcome): Promise<number | null> {
    const nowMs = clock.now()
    const content = readContent(row.content_json)
    const verdict = judge(
      outcome,
      {
        content,
        hasReplyTo: row.reply_to !== null,
        attempts: row.attempts,
        createdAtMs: row.created_at_ms,
        canResend: connection.can.resend === true,
        findAfterMs: row.mark === null ? null : (connection.can.findSent?.settleMs ?? null),
      },
      nowMs,
      options.random,
    )
    noticeLimits(chat, outcome, verdict)
    const refused = await handle.write(async (tx) => {
      if (verdict.next === 'move') await moveChat(tx, handle.bot, { chat, toChatId: verdict.toChatId })
      const changed = await changeDelivery(tx, row.id, changeFor(verdict, outcome, row, nowMs), nowMs)
      const unreachable = outcome.status === 'refused' && outcome.code === 'recipient_unreachable'
      if (!unreachable) return [changed]
      await setUnreachable(tx, handle.bot, row.chat_id, outcome.detail)
      return [changed, ...(await refuseWaiting(tx, handle.bot, row.chat_id, outcome.code, outcome.detail, nowMs))]
    })
    for (const changed of refused) options.onChange(changed)
    return next(verdict, row, outcome)
  }

  function next(verdict: Verdict, row: DeliveryRow, outcome: Outcome): number | null {
    switch (verdict.next) {
      case 'delivered':
      case 'dead':
        return null
      case 'retry':
      case 'find':
        options.onRetry()
        return verdict.atMs
      case 'hold':
        options.onRejected(outcome.status === 'refused' ? outcome.detail : '')
        return HELD
      case 'move':
        start(verdict.toChatId, [])
        return clock.now()
      case 'plain':
      case 'unreply':
        log.warn('outbox: sending again in a simpler form', { delivery: row.id, why: verdict.next })
        return clock.now()
    }
  }

  /** One chat over its limit waits alone; two in the same second mean that the bot as a whole must wait. */
  function noticeLimits(chat: Chat, outcome: Outcome, verdict: Verdict): void {
    if (outcome.status !== 'refused' || outcome.code !== 'rate_limited' || verdict.next !== 'retry') return
    const nowMs = clock.now()
    options.pace.pause(chat, verdict.atMs)
    const whole = lastLimited && lastLimited.chatId !== chat.id && nowMs - lastLimited.atMs < 1_000
    if (whole) options.pace.pause(null, verdict.atMs)
    lastLimited = { chatId: chat.id, atMs: nowMs }
  }

  return {
    push(rows) {
      const byChat = Map.groupBy(rows, (row) => row.chat_id)
      for (const [chatId, ofChat] of byChat) start(chatId, ofChat)
    },
    wake: (chatId) => start(chatId, []),
    async sweep() {
      for (const chatId of await waitingChats(handle)) {
        // a lane under way knows its own time
        if (!lanes.has(chatId)) start(chatId, [])
      }
    },
    async stop(signal) {
      stopping.abort()
      const giveUp = (): void => givingUp.abort()
      signal.addEventListener('abort', giveUp, { once: true })
      if (signal.aborted) giveUp()
      await Promise.all(running)
      signal.removeEventListener('abort', giveUp)
    },
  }
}

function changeFor(verdict: Verdict, outcome: Outcome, row: DeliveryRow, nowMs: number): DeliveryChange {
  const why = {
    code: outcome.status === 'refused' ? outcome.code : null,
    reason: outcome.status === 'delivered' ? null : outcome.detail,
  }
  switch (verdict.next) {
    case 'delivered':
      return { state: 'delivered', dead: 0, platform_message_id: verdict.messageId, ...why }
    case 'dead':
      return { state: verdict.state, dead: 1, ...why }
    case 'retry':
      return { state: 'queued', next_attempt_at_ms: verdict.atMs, ...why }
    case 'find':
      return { state: 'sending', next_attempt_at_ms: verdict.atMs, ...why }
    case 'hold':
      return { state: 'queued', next_attempt_at_ms: nowMs, ...why }
    case 'unreply':
      return { state: 'queued', reply_to: null, ...why }
    case 'move':
      return { state: 'queued', chat_id: verdict.toChatId, ...why }
    case 'plain': {
      const content = readContent(row.content_json)
      return { state: 'queued', content_json: JSON.stringify({ ...content, usePlain: true }), ...why }
    }
  }
}
