import type { BotHandle } from '../bot-handle.ts'
import { writePatiently } from '../patient-write.ts'
import { setUnreachable } from '../contacts/contacts.sql.ts'
import { moveChat } from '../inbox/inbox.sql.ts'
import type { Chat, Clock, Connection, Log, OutboundPart, Outcome } from '../platform.ts'
import type { Slots } from '../slots.ts'
import { changeFor, settled } from './change.ts'
import { readContent } from './content.ts'
import {
  changeDelivery,
  claim,
  type DeliveryRow,
  knownMessages,
  nextOfChat,
  refuseWaiting,
  waitingChats,
} from './deliveries.sql.ts'
import type { Pace } from './pace.ts'
import { chatOf, toPart } from './part.ts'
import { isTooOld, judge, type Verdict } from './verdict.ts'

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
const NOT_SENT: Outcome = { status: 'refused', code: 'network', detail: 'it was not sent' }

export function createOutbox(options: OutboxOptions): Outbox {
  const { handle, connection, clock, log } = options
  const lanes = new Map<string, Lane>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const givingUp = new AbortController()
  /** Their claim may have been stored, but nothing was sent after it. */
  const unsent = new Set<string>()
  let swept = false
  let lastLimited: { chatId: string; atMs: number } | null = null

  function start(chatId: string, rows: readonly DeliveryRow[]): void {
    if (stopping.signal.aborted) return
    const lane = lanes.get(chatId)
    if (lane) {
      lane.stale = true
      return
    }
    // until the first sweep something older may wait in the database
    const fresh: Lane = swept ? { rows, stale: rows.length === 0 } : { rows: [], stale: true }
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
          const waitMs = againAtMs - clock.now()
          if (waitMs > 0) await clock.sleep(waitMs, stopping.signal)
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
    return options.slots.run(async () => {
      if (stopping.signal.aborted) return clock.now()
      const wait = options.pace.take(chat)
      if (wait > 0) return clock.now() + wait
      const part = toPart(row)
      const mark = connection.can.findSent?.mark(part) ?? null
      unsent.add(row.id)
      if (!(await claim(handle, row.id, mark, clock.now()))) return clock.now()
      unsent.delete(row.id)
      const claimed = { ...row, attempts: row.attempts + 1, mark, state: 'sending' as const }
      return settle(claimed, chat, givingUp.signal.aborted ? NOT_SENT : await perform(row, part))
    })
  }

  async function perform(row: DeliveryRow, part: OutboundPart): Promise<Outcome> {
    const { edit } = connection.can
    try {
      return row.platform_message_id !== null && part.kind === 'text' && edit
        ? await edit(part, row.platform_message_id, givingUp.signal)
        : await connection.send(part, givingUp.signal)
    } catch (error) {
      if (!givingUp.signal.aborted) log.error('outbox: a send failed in an unforeseen way', { delivery: row.id, error })
      return { status: 'unknown', detail: 'the send failed in an unforeseen way' }
    }
  }

  /** An earlier attempt has not told how it ended: this process was told nothing, or another one died over it. */
  async function resolve(row: DeliveryRow): Promise<number | null> {
    const { findSent, resend } = connection.can
    // repeating an edit shows nothing twice
    if (unsent.has(row.id) || resend || row.platform_message_id !== null) return requeue(row)
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
    const tooOld = isTooOld(row.created_at_ms, clock.now())
    if (found.found === 'later') {
      if (!tooOld) return clock.now() + Math.max(1_000, found.afterMs)
      return settle({ ...row, mark: null }, chatOf(row), { status: 'unknown', detail: 'it could not be found out' })
    }
    if (found.found === 'absent') return tooOld ? settle(row, chatOf(row), NOT_SENT) : requeue(row)
    if (found.found === 'delivered')
      return settle(row, chatOf(row), { status: 'delivered', messageId: found.messageId })
    return settle({ ...row, mark: null }, chatOf(row), { status: 'unknown', detail: found.detail })
  }

  async function requeue(row: DeliveryRow): Promise<number> {
    options.onRetry()
    const changed = await handle.write((tx) =>
      changeDelivery(
        tx,
        row.id,
        {
          state: 'queued',
          next_attempt_at_ms: clock.now(),
          // with an idempotency key only the next attempt tells what stands there
          ...(connection.can.resend ? {} : { content_json: settled(row) }),
        },
        clock.now(),
      ),
    )
    unsent.delete(row.id)
    options.onChange(changed)
    return clock.now()
  }

  async function settle(row: DeliveryRow, chat: Chat, outcome: Outcome): Promise<number | null> {
    const nowMs = clock.now()
    const content = readContent(row.content_json)
    const verdict = judge(
      outcome,
      {
        content,
        hasReplyTo: row.reply_to !== null,
        isEdit: row.platform_message_id !== null,
        attempts: row.attempts,
        createdAtMs: row.created_at_ms,
        canResend: connection.can.resend === true || row.platform_message_id !== null,
        findAfterMs: row.mark === null ? null : (connection.can.findSent?.settleMs ?? null),
      },
      nowMs,
      options.random,
    )
    noticeLimits(chat, outcome, verdict)
    const patience = { clock, log, signal: stopping.signal }
    const store: Parameters<typeof handle.write<readonly DeliveryRow[]>>[0] = async (tx) => {
      if (verdict.next === 'move') await moveChat(tx, handle.bot, { chat, toChatId: verdict.toChatId })
      const changed = await changeDelivery(tx, row.id, changeFor(verdict, outcome, row, nowMs), nowMs)
      const unreachable = outcome.status === 'refused' && outcome.code === 'recipient_unreachable'
      if (!unreachable) return [changed]
      await setUnreachable(tx, handle.bot, row.chat_id, outcome.detail)
      return [changed, ...(await refuseWaiting(tx, handle.bot, row.chat_id, outcome.code, outcome.detail, nowMs))]
    }
    for (const changed of await writePatiently(handle, store, patience)) options.onChange(changed)
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
        stopping.abort()
        options.onRejected(outcome.status === 'refused' ? outcome.detail : '')
        return HELD
      case 'move':
        start(verdict.toChatId, [])
        return clock.now()
      case 'finish':
        return clock.now()
      case 'anew':
      case 'plain':
      case 'unreply':
        log.warn('outbox: sending again in another form', { delivery: row.id, why: verdict.next })
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
      const chats = await waitingChats(handle)
      swept = true
      for (const chatId of chats) {
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
