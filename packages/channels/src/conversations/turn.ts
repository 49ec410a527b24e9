import type { MediaQuota } from '../inbox/media-quota.ts'
import { randomUUIDv7 } from 'node:crypto'
import path from 'node:path'
import type { Transaction } from 'kysely'
import { type Assistant, AssistantError, type AssistantPiece, type AssistantTurn } from '../assistant/assistant.ts'
import { type HistoryBudget, trimToBudget } from '../assistant/limits.ts'
import { backoffMs, writeWithRetry } from '../retry.ts'
import type { BotHandle } from '../storage/bot-handle.ts'
import { cleanText } from '../storage/storable.ts'
import type { Connection } from '../connection.ts'
import { botMediaDir, safeName, writePrivate } from '../inbox/media.ts'
import type { Chat } from '../message.ts'
import { type DeliveryContent, readContent } from '../outbox/content.ts'
import { type DeliveryRow, insertDeliveries } from '../outbox/deliveries.sql.ts'
import type { Pace } from '../outbox/pace.ts'
import type { Renderer } from '../outbox/renderer.ts'
import { type DeliveryPlan, planDeliveries, type Renders, renderText } from '../outbox/plan.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { createPreview, showTyping, type Preview } from './preview.ts'
import { fetchFiles, turnMessages } from './turn-input.ts'
import { closeMessages, isClosed, type Pending, readHistory, saveTurn, type TurnRow } from './turns.sql.ts'

/** Attempts of one turn before the user is told that there is no reply: about half a minute. */
const MAX_ATTEMPTS = 5
const NO_ANSWER = "Sorry, I couldn't answer that just now. Please try again in a little while."

/** What a turn works with. */
export interface TurnContext {
  readonly handle: BotHandle
  readonly platform: Renders & { readonly id: PlatformId }
  readonly connection: Connection
  readonly assistant: Assistant
  readonly pace: Pace
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  readonly mediaDir: string
  readonly mediaQuota: MediaQuota
  readonly renderer: Renderer
  readonly history: HistoryBudget
  /** Registers work that may outlive the turn. It must not reject. */
  readonly aside: (work: Promise<void>) => void
}

/** How a turn ended. */
export type TurnResult =
  | {
      readonly result: 'answered' | 'failed'
      readonly rows: readonly DeliveryRow[]
      /** Why it failed. */
      readonly reason: string | null
    }
  | { readonly result: 'retry'; readonly atMs: number; readonly error: string }

/** Answers one conversation's pending messages. @throws when the database fails or `signal` aborts; nothing is lost. */
export async function runTurn(context: TurnContext, pending: Pending, signal: AbortSignal): Promise<TurnResult> {
  const turn = pending.turn ?? openTurn(pending, context.clock.now())
  const plan = planReply(context, pending, turn)
  const chat = plan.chat
  const live = pending.turn ? await readLive(context.handle, turn.id) : null
  const preview = createPreview({ ...context, chat, plan, turn, live, givingUp: signal })
  let failure: AssistantError
  try {
    const answer = await requestReply(context, pending, turn, chat, preview, signal)
    const contents = await prepareContents(context, answer, turn)
    if (contents.length > 0) {
      const closed: TurnRow = {
        ...turn,
        state: 'answered',
        answer: answer.text || answer.files.map(({ name }) => `[${name}]`).join(' '),
        error: null,
      }
      const rows = await storeResult(context, closed, plan, contents, preview.live(), signal)
      return { result: 'answered', rows, reason: null }
    }
    failure = new AssistantError('malformed', 'The assistant returned an empty reply.')
  } catch (error) {
    if (signal.aborted || !(error instanceof AssistantError)) throw error
    failure = error
  }
  return handleFailure(context, turn, plan, failure, preview.live(), signal)
}

/** @throws {AssistantError} when this reply cannot be shown: the next attempt may return another. */
async function prepareContents(
  context: TurnContext,
  answer: Answer,
  turn: TurnRow,
): Promise<readonly DeliveryContent[]> {
  try {
    const files = await storeAnswerFiles(answer.files, path.join(botMediaDir(turn.bot), turn.id), context.mediaDir)
    const texts = await context.renderer.render(answer.text, context.platform, turn.bot)
    return [...(answer.isCut ? markCut(texts) : texts), ...files]
  } catch (error) {
    context.log.error("Couldn't prepare a reply", { turn: turn.id, error })
    throw new AssistantError('malformed', "Couldn't prepare the reply for the platform.", { cause: error })
  }
}

/** The last text ends with the note that something was left out. */
const markCut = (texts: readonly DeliveryContent[]): readonly DeliveryContent[] =>
  texts.map((content, index) =>
    content.kind === 'text' && index === texts.length - 1 ? { ...content, isCut: true } : content,
  )

function openTurn(pending: Pending, nowMs: number): TurnRow {
  const [first, last] = [pending.messages[0], pending.messages.at(-1)]
  if (!first || !last) throw new RangeError('a turn needs a message')
  return {
    id: randomUUIDv7(),
    conversation_id: pending.conversation.id,
    bot: pending.conversation.bot,
    first_position: first.position,
    last_position: last.position,
    state: 'open',
    attempts: 0,
    next_attempt_at_ms: nowMs,
    error: null,
    answer: '',
    updated_at_ms: nowMs,
  }
}

function planReply(context: TurnContext, { conversation, messages }: Pending, turn: TurnRow): DeliveryPlan {
  const last = messages.at(-1)
  const chat: Chat = {
    id: conversation.chat_id,
    kind: conversation.kind,
    ...(conversation.thread_id === '' ? {} : { threadId: conversation.thread_id }),
  }
  return {
    id: turn.id,
    bot: context.handle.bot,
    kind: 'reply',
    conversationId: conversation.id,
    turnId: turn.id,
    chat,
    userId: last?.user_id ?? null,
    // in a direct chat it is obvious which message is answered
    replyTo: chat.kind === 'group' ? (last?.platform_message_id ?? null) : null,
    after: conversation.last_message_id,
    receivedAtMs: last?.received_at_ms ?? null,
  }
}

async function readLive(handle: BotHandle, turnId: string): Promise<DeliveryRow | null> {
  const row = await handle.database.db
    .selectFrom('delivery')
    .selectAll()
    .where('id', '=', `${turnId}.1`)
    .where('state', '=', 'live')
    .executeTakeFirst()
  return row ?? null
}

interface Answer {
  readonly text: string
  readonly isCut: boolean
  readonly files: readonly Extract<AssistantPiece, { type: 'file' }>[]
}

/** @throws {AssistantError} */
async function requestReply(
  context: TurnContext,
  pending: Pending,
  turn: TurnRow,
  chat: Chat,
  preview: Preview,
  signal: AbortSignal,
): Promise<Answer> {
  const working = new AbortController()
  const answered = pending.messages.at(-1)?.platform_message_id
  let text = ''
  let isCut = false
  const files: Answer['files'][number][] = []
  context.aside(showTyping(context, chat, working.signal, answered))
  const previewRun = preview.run(() => text, working.signal)
  try {
    const request = await createRequest(context, pending, turn, chat, signal)
    try {
      for await (const piece of context.assistant.reply(request, signal)) {
        if (piece.type === 'text') {
          text += piece.text
          isCut ||= piece.isCut === true
        } else files.push({ ...piece, name: cleanText(piece.name), mime: cleanText(piece.mime) })
      }
    } catch (error) {
      if (error instanceof AssistantError || signal.aborted) throw error
      context.log.error('The assistant failed unexpectedly', { turn: turn.id, error })
      throw new AssistantError('malformed', 'The assistant failed unexpectedly.', { cause: error })
    }
    // an interrupted assistant may end as if its reply were complete
    signal.throwIfAborted()
  } finally {
    working.abort(null) // without a reason, each abort would create an error with a stack
    await previewRun
  }
  return { text: cleanText(text), isCut, files }
}

async function createRequest(
  context: TurnContext,
  pending: Pending,
  turn: TurnRow,
  chat: Chat,
  signal: AbortSignal,
): Promise<AssistantTurn> {
  const { handle, mediaDir } = context
  const waiting = await fetchFiles(context, pending.messages, signal)
  const history = await readHistory(handle, turn.conversation_id, turn.first_position, context.history.historyMessages)
  const { title } = pending.conversation
  return {
    id: turn.id,
    conversationId: turn.conversation_id,
    platform: context.platform.id,
    chat: { kind: chat.kind, ...(title === null ? {} : { title }) },
    messages: trimToBudget(turnMessages(history, waiting, mediaDir), context.history),
  }
}

/** Stores the end of a turn and its deliveries in one transaction. */
async function storeResult(
  context: TurnContext,
  turn: TurnRow,
  plan: DeliveryPlan,
  contents: readonly DeliveryContent[],
  live: DeliveryRow | null,
  signal: AbortSignal,
): Promise<readonly DeliveryRow[]> {
  const nowMs = context.clock.now()
  const rows = planDeliveries(plan, contents, nowMs).map((row) => (live?.id === row.id ? replaceLive(row, live) : row))
  let again = false
  const store = async (tx: Transaction<ChannelTables>): Promise<void> => {
    // an unconfirmed commit may have been made
    if (again && (await isClosed(tx, turn.id))) return
    again = true
    if (live) await tx.deleteFrom('delivery').where('id', '=', live.id).execute()
    await insertDeliveries(tx, rows)
    await saveTurn(tx, { ...turn, updated_at_ms: nowMs })
    await closeMessages(tx, turn, turn.state === 'failed' ? 'failed' : 'answered', turn.error)
  }
  await writeWithRetry(context.handle, store, { ...context, signal })
  return rows
}

/** Makes the first part replace the unfinished message: by an edit, or after finding out whether it was shown. */
function replaceLive(row: DeliveryRow, live: DeliveryRow): DeliveryRow {
  if (live.platform_message_id !== null) return { ...row, platform_message_id: live.platform_message_id }
  const content_json = JSON.stringify({ ...readContent(row.content_json), begun: true })
  const { attempts, mark, updated_at_ms } = live
  return { ...row, state: 'sending', content_json, attempts, mark, updated_at_ms }
}

async function handleFailure(
  context: TurnContext,
  turn: TurnRow,
  plan: DeliveryPlan,
  failure: AssistantError,
  live: DeliveryRow | null,
  signal: AbortSignal,
): Promise<TurnResult> {
  const nowMs = context.clock.now()
  const attempts = turn.attempts + 1
  const error = failure.message
  context.log.warn('The assistant returned no reply', { turn: turn.id, code: failure.code, attempts, reason: error })
  if (failure.code === 'misconfigured' || attempts >= MAX_ATTEMPTS) {
    const contents = renderText(NO_ANSWER, context.platform)
    const closed: TurnRow = { ...turn, state: 'failed', attempts, error }
    const rows = await storeResult(context, closed, { ...plan, kind: 'notice' }, contents, live, signal)
    return { result: 'failed', rows, reason: error }
  }
  const atMs = nowMs + Math.max(failure.retryAfterMs ?? 0, backoffMs(attempts, 2_000, 30_000, context.random))
  const open: TurnRow = { ...turn, attempts, error, next_attempt_at_ms: atMs, updated_at_ms: nowMs }
  await writeWithRetry(context.handle, (tx) => saveTurn(tx, open), { ...context, signal })
  return { result: 'retry', atMs, error }
}

/** Stores the assistant's files for the outbox, so that they survive a restart. */
async function storeAnswerFiles(
  files: readonly Extract<AssistantPiece, { type: 'file' }>[],
  folder: string,
  mediaDir: string,
): Promise<readonly DeliveryContent[]> {
  const contents: DeliveryContent[] = []
  for (const [index, file] of files.entries()) {
    const target = path.join(mediaDir, folder, `${index + 1}-${safeName(file.name)}`)
    await writePrivate(target, file.bytes)
    contents.push({ kind: 'file', name: file.name, mime: file.mime, path: target })
  }
  return contents
}
