import type { BotHandle } from '../storage/bot-handle.ts'
import type { Connection } from '../connection.ts'
import type { Chat, OutboundTextPart, Outcome } from '../message.ts'
import { changeDelivery, type DeliveryRow, insertDeliveries } from '../outbox/deliveries.sql.ts'
import type { Pace } from '../outbox/pace.ts'
import { toPart } from '../outbox/content.ts'
import { type DeliveryPlan, planDeliveries, type Renders, renderText } from '../outbox/plan.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { PlatformLimits } from '../platform.ts'
import { saveTurn, type TurnRow } from './turns.sql.ts'

/** Shows an answer while it is being written. Whatever fails here only makes the person wait for the final text. */
export interface Preview {
  /** Shows what `text()` says, again and again, until `signal` aborts; resolves when nothing is on its way any more. */
  run(text: () => string, signal: AbortSignal): Promise<void>
  /** The unfinished message that stands in the chat and must become the first part of the answer. */
  live(): DeliveryRow | null
}

/** `never`: no preview of this answer can be shown any more. */
type Shown = 'shown' | 'not now' | 'never'

/** Longer than this no preview may keep the answer waiting. */
const PREVIEW_MS = 10_000

interface PreviewOptions {
  readonly handle: BotHandle
  readonly connection: Connection
  readonly platform: Renders
  readonly pace: Pace
  readonly clock: Clock
  readonly log: Log
  readonly chat: Chat
  readonly plan: DeliveryPlan
  /** The turn as it must be stored before anything of it is shown. */
  readonly turn: TurnRow
  /** Left by an attempt before this one. */
  readonly live: DeliveryRow | null
  /** Breaks off also what is on its way. */
  readonly givingUp: AbortSignal
}

export const createPreview = (options: PreviewOptions): Preview => new LivePreview(options)

class LivePreview implements Preview {
  readonly #options: PreviewOptions
  /** Absent: this chat cannot show drafts. */
  readonly #draft: Connection['can']['draft']
  readonly #everyMs: number | undefined
  /** Replacing the text of what stands there uses up nothing that the answer will need. */
  readonly #free: boolean
  #live: DeliveryRow | null

  constructor(options: PreviewOptions) {
    const { draft, draftFor, edit } = options.connection.can
    const every = options.platform.limits.previewEveryMs
    const drafting = draft !== undefined && every.draft !== undefined && (draftFor?.(options.chat) ?? true)
    this.#options = options
    this.#draft = drafting ? draft : undefined
    this.#everyMs = drafting ? every.draft : edit && every.edit
    this.#free = drafting || every.free === true
    this.#live = options.live
  }

  live(): DeliveryRow | null {
    return this.#live
  }

  async run(text: () => string, signal: AbortSignal): Promise<void> {
    const { clock, log, givingUp } = this.#options
    if (this.#everyMs === undefined) return
    let shown = ''
    for (;;) {
      await clock.sleep(this.#everyMs, signal)
      if (signal.aborted) return
      const now = text()
      if (now === shown || now.trim() === '') continue
      try {
        // a preview on its way is finished even when the answer is complete: two writers of one message would race
        const done = await this.#show(now, AbortSignal.any([givingUp, AbortSignal.timeout(PREVIEW_MS)]))
        if (done === 'never') return
        if (done === 'shown') shown = now
      } catch (error) {
        log.warn('A preview of an answer failed', { error })
        return
      }
    }
  }

  async #show(text: string, signal: AbortSignal): Promise<Shown> {
    const { platform, plan, clock, pace, chat, connection } = this.#options
    const content = renderText(text, platform)[0]
    if (content === undefined || content.kind !== 'text') return 'not now'
    const [row] = planDeliveries(plan, [content], clock.now())
    const uncounted = this.#draft !== undefined || (this.#free && this.#live !== null)
    if (!row || (uncounted ? pace.pausedFor(chat) : pace.take(chat)) > 0) return 'not now'
    const whole = toPart(row) as OutboundTextPart // the plan has one text content, so its part is a text part
    if (this.#draft) return this.#read(await this.#draft(whole, signal))
    const part = { ...whole, live: true } as const
    if (this.#live === null) return this.#begin(row, part, signal)
    const { edit } = connection.can
    if (!edit || this.#live.platform_message_id === null) return 'never'
    return this.#read(await edit(part, this.#live.platform_message_id, signal))
  }

  /** The first sight of the answer is a real message: stored before it is sent, like any other. */
  async #begin(row: DeliveryRow, part: OutboundTextPart, signal: AbortSignal): Promise<Shown> {
    const { handle, connection, turn, clock } = this.#options
    const mark = connection.can.findSent?.mark(part) ?? null
    // it could neither be found nor repeated after a crash: better no preview than two answers
    if (mark === null && connection.can.resend?.(part, clock.now()) !== true) return 'never'
    const stored: DeliveryRow = { ...row, state: 'live', attempts: 1, mark }
    // also a write that fails may have been done
    this.#live = stored
    await handle.write(
      async (tx) => {
        await saveTurn(tx, turn)
        await insertDeliveries(tx, [stored])
      },
      { durable: true },
    )
    const outcome = await connection.send(part, signal)
    if (outcome.status === 'delivered') {
      this.#live = { ...stored, platform_message_id: outcome.messageId }
      await handle.write((tx) => changeDelivery(tx, row.id, { platform_message_id: outcome.messageId }, clock.now()))
      return 'shown'
    }
    if (outcome.status === 'refused') {
      await handle.write((tx) => tx.deleteFrom('delivery').where('id', '=', row.id).execute())
      this.#live = null
    }
    return 'never'
  }

  #read(outcome: Outcome): Shown {
    const { pace, chat, clock } = this.#options
    if (outcome.status === 'delivered') return 'shown'
    if (outcome.status !== 'refused' || outcome.code !== 'rate_limited') return 'never'
    pace.pause(chat, clock.now() + (outcome.retryAfterMs ?? 1_000))
    return 'not now'
  }
}

/** A turn quicker than this shows no typing sign. */
const TYPING_AFTER_MS = 300
/** How long taking it away may take. */
const TYPING_DONE_MS = 3_000

interface Typing {
  readonly connection: Connection
  readonly platform: { readonly limits: Pick<PlatformLimits, 'typingEveryMs'> }
  readonly clock: Clock
  readonly log: Log
}

/**
 * Shows that an answer is being written until `signal` aborts, then takes the sign away. Never throws; the answer need
 * not wait for it.
 */
export async function showTyping(
  { connection, platform, clock, log }: Typing,
  chat: Chat,
  signal: AbortSignal,
  messageId?: string,
): Promise<void> {
  const { typing, typingDone } = connection.can
  if (!typing) return
  await clock.sleep(TYPING_AFTER_MS, signal)
  if (signal.aborted) return
  try {
    while (!signal.aborted) {
      await typing(chat, signal, messageId)
      await clock.sleep(platform.limits.typingEveryMs, signal)
    }
  } catch (error) {
    if (!signal.aborted) log.debug('No typing sign was shown', { error })
  }
  try {
    await typingDone?.(chat, AbortSignal.timeout(TYPING_DONE_MS), messageId)
  } catch (error) {
    log.debug('A typing sign was not taken away', { error })
  }
}
