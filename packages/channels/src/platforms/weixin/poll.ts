import type { Inbox } from '../../connection.ts'
import { ConnectionError } from '../../errors.ts'
import type { InboundMessage } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import type { WeixinClient } from './client.ts'
import { decodeMessage, summarizeContent, integer } from './decode.ts'
import { bareBody, updatesBody } from './encode.ts'
import { type Json, list } from '../wire/json.ts'
import { type BotMemory, HOLD_MS } from './memory.ts'
import { toConnectionError, isRejection, describeFailure, type WeixinFailure } from './outcome.ts'

/** An answer may take this much longer than the hold. */
const GRACE_MS = 5_000
const NOTIFY_MS = 10_000
/** Timeout for the stop notification. */
const FAREWELL_MS = 2_000
/** The server rejects a sign-in at once: a poll that is held for this long has been taken. */
const TAKEN_AFTER_MS = 1_500
/** Polls in a row without an answer until the connection counts as broken. Each waits longer than the one before. */
const MAX_UNANSWERED = 3
/** Empty answers in a row that came at once; more, and the loop would spin. */
const MAX_HASTY = 30
const HASTY_MS = 1_000
const CURSOR_CHARACTERS = 65_536
/** Most messages of one transaction: a statement names only so many keys. */
const BATCH = 500

/** What polling works with. */
export interface Polling {
  readonly client: WeixinClient
  readonly memory: BotMemory
  readonly io: PlatformIo
  readonly botId?: string
}

/**
 * Receives until `signal` aborts. A batch is confirmed by the cursor of the poll after the one that brought it, so only
 * once the inbox has stored both.
 * @throws {ConnectionError} and what `inbox` throws.
 */
export async function poll(at: Polling, inbox: Inbox, signal: AbortSignal): Promise<void> {
  const { health } = at.memory
  health.polling = true
  try {
    const cursor = (await inbox.cursor()) ?? ''
    const greeted = await notifyStart(at, signal)
    if (!signal.aborted) await receive(at, inbox, { cursor, greeted }, signal)
  } finally {
    health.polling = false
  }
  const farewell = { signal: new AbortController().signal, timeoutMs: FAREWELL_MS }
  const answer = await at.client.post('ilink/bot/msg/notifystop', bareBody(), farewell)
  if (!answer.ok) at.io.log.debug("Couldn't notify Weixin of the stop", { why: describeFailure(answer.failure) })
}

/** Notifies Weixin that the channel starts. @returns whether Weixin responded. */
async function notifyStart({ client, memory, io }: Polling, signal: AbortSignal): Promise<boolean> {
  const answer = await client.post('ilink/bot/msg/notifystart', bareBody(), { signal, timeoutMs: NOTIFY_MS })
  if (answer.ok || signal.aborted) return answer.ok
  if (isRejection(answer.failure) || answer.failure.kind === 'unsent') throw toPollError(memory, answer.failure)
  io.log.debug("Couldn't notify Weixin of the start", { why: describeFailure(answer.failure) })
  return false
}

function toPollError(memory: BotMemory, failure: WeixinFailure): ConnectionError {
  memory.health.failures += 1
  return toConnectionError(failure, memory.health.failures)
}

async function receive(
  at: Polling,
  inbox: Inbox,
  from: { readonly cursor: string; readonly greeted: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { health } = at.memory
  let { cursor } = from
  let unanswered = 0
  let hasty = 0
  const first = new AbortController()
  if (from.greeted) void showLifeWhenHeld(at.io, inbox, AbortSignal.any([signal, first.signal]))
  while (!signal.aborted) {
    const askedAtMs = at.io.clock.now()
    const answer = await requestUpdates(at, cursor, unanswered, signal).finally(() => first.abort(null))
    if (signal.aborted) return
    if (answer === null) {
      unanswered += 1
      continue
    }
    unanswered = 0
    inbox.alive()
    health.answeredAtMs = at.io.clock.now()
    health.failures = 0
    const messages = list(answer['msgs'])
    cursor = await storeAnswer(at, inbox, messages, cursor, answer)
    const came = messages.length > 0 || health.answeredAtMs - askedAtMs >= HASTY_MS
    hasty = came ? 0 : hasty + 1
    if (hasty >= MAX_HASTY) await at.io.clock.sleep(HASTY_MS, signal)
  }
}

async function showLifeWhenHeld(io: PlatformIo, inbox: Inbox, over: AbortSignal): Promise<void> {
  await io.clock.sleep(TAKEN_AFTER_MS, over)
  if (!over.aborted) inbox.alive()
}

/** `null`: nothing came in the time, which counts as an empty answer, or stopped. */
async function requestUpdates(
  at: Polling,
  cursor: string,
  unanswered: number,
  signal: AbortSignal,
): Promise<Json | null> {
  const { health } = at.memory
  const limits = { signal, timeoutMs: health.holdMs * (1 + unanswered) + GRACE_MS }
  const answer = await at.client.post('ilink/bot/getupdates', updatesBody(cursor), limits)
  if (signal.aborted) return null
  if (!answer.ok) {
    const { failure } = answer
    if (failure.kind === 'unanswered' && failure.timedOut === true && unanswered + 1 < MAX_UNANSWERED) return null
    throw toPollError(at.memory, failure)
  }
  const holdMs = integer(answer.body['longpolling_timeout_ms']) ?? HOLD_MS
  health.holdMs = holdMs > 0 ? Math.min(holdMs, 10 * HOLD_MS) : HOLD_MS
  return answer.body
}

/**
 * Stores what a poll brought. What sends need is learnt before that: an answer may be on its way as soon as it is stored.
 * @returns the cursor of the next poll.
 */
async function storeAnswer(
  at: Polling,
  inbox: Inbox,
  messages: readonly unknown[],
  cursor: string,
  answer: Json,
): Promise<string> {
  const next = readNextCursor(answer) ?? cursor
  const malformed: string[] = []
  const events: InboundMessage[] = []
  for (const message of messages) {
    const { event, why } = readMessage(at, message)
    if (event !== undefined) events.push(event)
    if (why !== undefined) malformed.push(why)
  }
  if (malformed.length > 0) {
    const fields = { count: malformed.length, first: malformed.slice(0, 5) }
    at.io.log.warn('Dropped malformed Weixin messages', fields)
  }
  if (events.length > 0 || next !== cursor) await storeEvents(inbox, events, next)
  if (messages.length > 0 && next === cursor)
    throw new ConnectionError('network', "Weixin returns messages that can't be confirmed.")
  return next
}

/** The cursor goes with the last of them: whatever is stored before it is known when it comes again. */
async function storeEvents(inbox: Inbox, events: readonly InboundMessage[], cursor: string): Promise<void> {
  let first = 0
  for (; events.length - first > BATCH; first += BATCH) await inbox.accept(events.slice(first, first + BATCH), null)
  await inbox.accept(events.slice(first), cursor)
}

function readNextCursor(answer: Json): string | undefined {
  const next = answer['get_updates_buf']
  if (typeof next !== 'string' || next === '') return undefined
  if (next.length > CURSOR_CHARACTERS || next.includes('\0'))
    throw new ConnectionError('network', 'Weixin returned an invalid cursor.')
  return next
}

function readMessage(at: Polling, value: unknown): { readonly event?: InboundMessage; readonly why?: string } {
  const { windows, texts, health } = at.memory
  const { botId } = at
  const nowMs = at.io.clock.now()
  const recent = (person: string, messageId: string): string | undefined => texts.find(person, messageId)
  const { event, context, malformed } = decodeMessage(value, {
    nowMs,
    recent,
    ...(botId === undefined ? {} : { botId }),
  })
  // A message that is handed over again makes no more sends possible.
  if (context !== undefined && !texts.has(context.person, context.messageId)) {
    windows.open(context.person, context.token, context.sentAtMs ?? null)
    texts.put(context.person, context.messageId, '')
  }
  if (event === undefined) return malformed === undefined ? {} : { why: malformed }
  texts.put(event.chat.id, event.messageId, summarizeContent(event))
  health.inboundAtMs = Math.max(health.inboundAtMs ?? 0, event.sentAtMs)
  return { event: context === undefined ? event : { ...event, replyContext: context.token } }
}
