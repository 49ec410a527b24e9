import type { BotHandle } from '../storage/bot-handle.ts'
import type { Connection } from '../connection.ts'
import type { Chat, OutboundTextPart, Outcome } from '../message.ts'
import { changeDelivery, type DeliveryRow, insertDeliveries } from '../outbox/deliveries.sql.ts'
import type { Pace } from '../outbox/pace.ts'
import { toPart } from '../outbox/content.ts'
import { type DeliveryPlan, planDeliveries, type Renders } from '../outbox/plan.ts'
import type { Renderer } from '../outbox/renderer.ts'
import type { PlatformId } from '../platform-names.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { PlatformLimits } from '../platform.ts'
import { saveTurn, type TurnRow } from './turns.sql.ts'

/** Shows a reply while it is being written. Any failure here only means that the user waits for the final text. */
export interface Preview {
  /** Keeps showing `text()` until `signal` aborts; resolves when no request is in flight. */
  run(text: () => string, signal: AbortSignal): Promise<void>
  /** Returns the unfinished message in the chat, which must become the first part of the reply. */
  live(): DeliveryRow | null
}

/** `never`: no further previews of this reply are possible. */
type Shown = 'shown' | 'not now' | 'never'

/** How long a preview may delay the reply. */
const PREVIEW_MS = 10_000

/** Markup may take this many times the room of what is shown. */
const PREVIEW_ROOM = 4

interface PreviewOptions {
  readonly handle: BotHandle
  readonly connection: Connection
  readonly platform: Renders & { readonly id: PlatformId }
  readonly renderer: Renderer
  readonly pace: Pace
  readonly clock: Clock
  readonly log: Log
  readonly chat: Chat
  readonly plan: DeliveryPlan
  /** The turn, which must be stored before anything of it is shown. */
  readonly turn: TurnRow
  /** Left over from an earlier attempt. */
  readonly live: DeliveryRow | null
  /** Also aborts requests in flight. */
  readonly givingUp: AbortSignal
}

/** Creates the preview of one reply. */
export const createPreview = (options: PreviewOptions): Preview => new LivePreview(options)

class LivePreview implements Preview {
  readonly #options: PreviewOptions
  /** Absent: this chat has no drafts. */
  readonly #draft: Connection['can']['draft']
  readonly #everyMs: number | undefined
  /** Editing a shown preview does not use up the rate limit that the reply needs. */
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
        // a preview in flight is completed even when the reply is ready: two writers of one message would race
        const done = await this.#show(now, AbortSignal.any([givingUp, AbortSignal.timeout(PREVIEW_MS)]))
        if (done === 'never') return
        if (done === 'shown') shown = now
      } catch (error) {
        log.warn('Showing a preview of a reply failed', { error })
        return
      }
    }
  }

  async #show(text: string, signal: AbortSignal): Promise<Shown> {
    const { platform, plan, clock, pace, chat, connection, renderer } = this.#options
    // only the first message is shown: a long reply isn't rendered as a whole each time
    const start = text.slice(0, platform.limits.text.max * PREVIEW_ROOM)
    const [content] = await renderer.render(start, platform, plan.bot)
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

  /** The first preview is a real message: stored before it is sent, like any other. */
  async #begin(row: DeliveryRow, part: OutboundTextPart, signal: AbortSignal): Promise<Shown> {
    const { handle, connection, turn, clock } = this.#options
    const mark = connection.can.findSent?.mark(part) ?? null
    // after a crash it could be neither found nor repeated: better no preview than two replies
    if (mark === null && connection.can.resend?.(part, clock.now()) !== true) return 'never'
    const stored: DeliveryRow = { ...row, state: 'live', attempts: 1, mark }
    // even a failed write may have been committed
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

/** A faster turn shows no typing indicator. */
const TYPING_AFTER_MS = 300
/** Timeout for removing it. */
const TYPING_DONE_MS = 3_000

interface Typing {
  readonly connection: Connection
  readonly platform: { readonly limits: Pick<PlatformLimits, 'typingEveryMs'> }
  readonly clock: Clock
  readonly log: Log
}

/**
 * Shows a typing indicator until `signal` aborts, then removes it. Never throws; the reply need not wait for it.
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
    if (!signal.aborted) log.debug("Couldn't show a typing indicator", { error })
  }
  try {
    await typingDone?.(chat, AbortSignal.timeout(TYPING_DONE_MS), messageId)
  } catch (error) {
    log.debug("Couldn't remove a typing indicator", { error })
  }
}
