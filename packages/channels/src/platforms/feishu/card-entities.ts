import type { OutboundTextPart } from '../../message.ts'
import { filled } from '../wire/json.ts'
import type { CallLimits } from '../wire/call.ts'
import { readData, type FeishuClient } from './client.ts'
import { ANSWER_ELEMENT, cardMarkdown, finishedSettings, idempotencyKey, streamingCard } from './encode.ts'
import { type Answer, type FeishuFailure, SEQUENCE_BEHIND } from './outcome.ts'

/** A card that the platform keeps apart from the message that shows it, and whose text can grow. */
export interface CardEntity {
  readonly id: string
  /** Of the last operation on it. */
  sequence: number
}

const CARDS = '/open-apis/cardkit/v1/cards'
const MAX = 2 ** 31 - 1
const STEP_MS = 100

/**
 * Rises strictly on one card, also when another process goes on with it: no more than ten operations a second are
 * allowed, so a number that rises ten times a second is ahead of all that were used before.
 */
export function nextSequence(last: number, nowMs: number): number {
  return Math.max(last + 1, (Math.floor(nowMs / STEP_MS) % (MAX - 1_000_000)) + 1)
}

/** Makes a card with the beginning of the answer. Shows nothing yet. */
export async function createCard(
  client: FeishuClient,
  part: OutboundTextPart,
  limits: CallLimits,
): Promise<{ readonly card: CardEntity } | { readonly failure: FeishuFailure }> {
  const body = { type: 'card_json', data: JSON.stringify(streamingCard(part)) }
  const answer = await client.call({ method: 'POST', path: CARDS, body }, limits)
  if (!answer.ok) return { failure: answer.failure }
  const id = filled(readData(answer.body)['card_id'])
  if (id === undefined) return { failure: { kind: 'foreign', status: 200, detail: 'the response has no card id' } }
  return { card: { id, sequence: 0 } }
}

/**
 * The card that a message shows, for a message of an earlier process.
 * @see Feishu Open Platform, "Convert ID" (`cardkit:card:read`)
 */
export async function cardOfMessage(
  client: FeishuClient,
  messageId: string,
  limits: CallLimits,
): Promise<{ readonly card: CardEntity } | { readonly failure: FeishuFailure }> {
  const path = `${CARDS}/id_convert`
  const answer = await client.call({ method: 'POST', path, body: { message_id: messageId } }, limits)
  if (!answer.ok) return { failure: answer.failure }
  const id = filled(readData(answer.body)['card_id'])
  if (id === undefined) return { failure: { kind: 'foreign', status: 200, detail: 'the response has no card id' } }
  return { card: { id, sequence: 0 } }
}

/** Replaces the text. */
export function growCard(
  client: FeishuClient,
  card: CardEntity,
  part: OutboundTextPart,
  nowMs: number,
  limits: CallLimits,
): Promise<Answer> {
  const path = `${CARDS}/${encodeURIComponent(card.id)}/elements/${ANSWER_ELEMENT}/content`
  return operate(client, card, { method: 'PUT', path, body: { content: cardMarkdown(part) } }, nowMs, limits)
}

/** Ends the growing, after the whole text is there. */
export function finishCard(
  client: FeishuClient,
  card: CardEntity,
  part: OutboundTextPart,
  nowMs: number,
  limits: CallLimits,
): Promise<Answer> {
  const path = `${CARDS}/${encodeURIComponent(card.id)}/settings`
  return operate(client, card, { method: 'PATCH', path, body: { settings: finishedSettings(part) } }, nowMs, limits)
}

/** Replaces the whole card, also when it is no longer streaming. */
export function replaceCard(
  client: FeishuClient,
  card: CardEntity,
  whole: object,
  nowMs: number,
  limits: CallLimits,
): Promise<Answer> {
  const path = `${CARDS}/${encodeURIComponent(card.id)}`
  const body = { card: { type: 'card_json', data: JSON.stringify(whole) } }
  return operate(client, card, { method: 'PUT', path, body }, nowMs, limits)
}

interface Operation {
  readonly method: 'PUT' | 'PATCH'
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** How far ahead a sequence is tried that was behind: another process was faster than it may be. */
const AHEAD = 100_000

async function operate(
  client: FeishuClient,
  card: CardEntity,
  { method, path, body }: Operation,
  nowMs: number,
  limits: CallLimits,
): Promise<Answer> {
  const once = (): Promise<Answer> => {
    const { sequence } = card
    const uuid = idempotencyKey(`${card.id}.${sequence}`)
    return client.call({ method, path, body: { ...body, sequence, uuid } }, limits)
  }
  card.sequence = nextSequence(card.sequence, nowMs)
  const answer = await once()
  if (answer.ok || answer.failure.kind !== 'answer' || answer.failure.code !== SEQUENCE_BEHIND) return answer
  card.sequence += AHEAD
  return once()
}
