import { measureText } from '../markdown/plain-text.ts'
import { type RenderedPart, renderMarkdown, type RenderOptions } from '../markdown/render.ts'
import { type PreviewPart, shownBlocks } from '../markdown/shown.ts'
import type { Chat } from '../message.ts'
import type { Platform } from '../platform.ts'
import type { DeliveryContent } from './content.ts'
import type { DeliveryRow } from './deliveries.sql.ts'

/** The parts of a platform that rendering needs. */
export type Renders = Pick<Platform<unknown>, 'dialect' | 'limits'>

/** Renders Markdown to the contents of deliveries. */
export const renderText = (text: string, platform: Renders): readonly DeliveryContent[] =>
  renderParts(text, platform).parts.map(({ body, plain }) => ({ kind: 'text', body, plain }))

/** Renders Markdown to messages and returns them with the size limit that was used. */
function renderParts(
  text: string,
  { dialect, limits }: Renders,
  also: Pick<RenderOptions, 'withRuns'> = {},
): { readonly parts: readonly RenderedPart[]; readonly max: number } {
  const { max, unit, stretch } = limits.text
  const parts = renderMarkdown(text, { dialect, max, unit, ...also })
  if (!stretch || parts.length <= stretch.parts) return { parts, max }
  return { parts: renderMarkdown(text, { dialect, max: stretch.max, unit, ...also }), max: stretch.max }
}

let lastSequence = 0
/** Increases within this process and, by the clock, across processes; below 2^53 until the year 2255. */
function nextSequence(nowMs: number): number {
  lastSequence = Math.max(lastSequence + 1, nowMs * 1_000)
  return lastSequence
}

/** What all deliveries of one reply or notification have in common. */
export interface DeliveryPlan {
  /** Turn or send id, the prefix of the delivery ids. */
  readonly id: string
  readonly bot: string
  readonly kind: DeliveryRow['kind']
  readonly conversationId: string | null
  readonly turnId: string | null
  readonly chat: Chat
  readonly userId: string | null
  readonly replyTo: string | null
  readonly after: string | null
  readonly receivedAtMs: number | null
}

/** Creates the rows of one reply, its parts numbered from 1. Only the first one replies to the message. */
export function planDeliveries(
  plan: DeliveryPlan,
  contents: readonly DeliveryContent[],
  nowMs: number,
): readonly DeliveryRow[] {
  const sequence = nextSequence(nowMs)
  return contents.map((content, index) => ({
    id: `${plan.id}.${index + 1}`,
    bot: plan.bot,
    conversation_id: plan.conversationId,
    turn_id: plan.turnId,
    kind: plan.kind,
    chat_id: plan.chat.id,
    chat_kind: plan.chat.kind,
    thread_id: plan.chat.threadId ?? '',
    user_id: plan.userId,
    sequence,
    part: index + 1,
    content_json: JSON.stringify(content),
    reply_to: index === 0 ? plan.replyTo : null,
    after_message_id: plan.after,
    state: 'queued',
    dead: 0,
    attempts: 0,
    next_attempt_at_ms: nowMs,
    mark: null,
    platform_message_id: null,
    code: null,
    reason: null,
    received_at_ms: index === contents.length - 1 ? plan.receivedAtMs : null,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  }))
}

/** Returns what the platform will show for this Markdown: the messages that the outbox would send. */
export function previewMessage(message: string, platform: Renders): readonly PreviewPart[] {
  const { dialect, limits } = platform
  const { unit } = limits.text
  const { parts, max } = renderParts(message, platform, { withRuns: true })
  return parts.map(({ body, runs = [] }) => ({
    markup: body,
    size: measureText(dialect.measures === 'rendered' ? body : runs.map(({ text }) => text).join(''), unit),
    limit: max,
    unit,
    blocks: shownBlocks(runs, dialect),
  }))
}
