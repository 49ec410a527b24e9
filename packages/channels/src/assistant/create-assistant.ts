import type { spawn } from 'node:child_process'
import type { Clock, Log } from '../platform-io.ts'
import { limitReply } from './limits.ts'
import { type Assistant, AssistantError, type AssistantPiece, type AssistantTurn, type TurnFile } from './assistant.ts'
import { streamCommand } from './command.ts'
import { streamHttp } from './http.ts'
import { streamOpenAi } from './openai.ts'
import type { AssistantSettings } from './settings.ts'
import { startWatch, type Watch } from './watch.ts'
import { messagesToAnswer, sizeText } from './wire-turn.ts'

/** The outside world as an assistant may use it. */
interface AssistantIo {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly log: Log
  readonly spawn?: typeof spawn
  /** A program's whole environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * Creates the assistant for these settings. Its `reply` throws the signal's reason when the signal aborts, and an
 * `AssistantError` otherwise. When the iteration ends, its connection, program and timers have ended too.
 */
export function createAssistant(settings: AssistantSettings, io: AssistantIo): Assistant {
  const answer = createResponder(settings, io)
  return { reply: (turn, signal) => guard(answer, settings, io.clock, turn, signal) }
}

type Answer = (turn: AssistantTurn, watch: Watch) => AsyncIterable<AssistantPiece>

function createResponder(settings: AssistantSettings, io: AssistantIo): Answer {
  switch (settings.kind) {
    case 'echo':
      return echo
    case 'openai': {
      const endpoint = { fetch: io.fetch, clock: io.clock, apiKey: settings.apiKey }
      return (turn, watch) => streamOpenAi(settings, endpoint, io.log, turn, watch)
    }
    case 'http': {
      const endpoint = { fetch: io.fetch, clock: io.clock, apiKey: settings.apiKey }
      return (turn, watch) => streamHttp(settings, endpoint, turn, watch)
    }
    case 'command':
      return (turn, watch) => streamCommand(settings, io, turn, watch)
  }
}

async function* guard(
  answer: Answer,
  settings: AssistantSettings,
  clock: Clock,
  turn: AssistantTurn,
  signal: AbortSignal,
): AsyncGenerator<AssistantPiece> {
  signal.throwIfAborted()
  const watch = startWatch(clock, settings, signal)
  let empty = true
  try {
    for await (const piece of limitReply(answer(turn, watch), settings.maxAnswerCharacters)) {
      watch.piece()
      if (piece.type === 'file' || piece.text.trim() !== '') empty = false
      yield piece
    }
  } catch (error) {
    watch.signal.throwIfAborted()
    if (error instanceof AssistantError) throw error
    throw new AssistantError('malformed', 'The assistant failed unexpectedly.', { cause: error })
  } finally {
    watch.end()
  }
  if (empty) throw new AssistantError('malformed', 'The reply is empty.')
}

/** Echoes the text and lists the files, to show a new user that everything works. */
async function* echo(turn: AssistantTurn): AsyncGenerator<AssistantPiece> {
  const messages = messagesToAnswer(turn)
  const texts = messages.map(({ text }) => text.trim()).filter((text) => text !== '')
  const files = messages.flatMap((message) => message.files).map(describe)
  const parts = []
  if (texts.length > 0) parts.push(`You said:\n\n${texts.map(quote).join('\n\n')}`)
  if (files.length > 0) parts.push(`I received ${files.length === 1 ? 'a file' : 'files'}:\n\n${files.join('\n')}`)
  yield { type: 'text', text: parts.length > 0 ? parts.join('\n\n') : 'I received an empty message.' }
}

const quote = (text: string): string => text.replace(/^/gm, '> ')

function describe({ kind, name, mime, sizeBytes, problem }: TurnFile): string {
  const about = `${kind}, ${mime}, ${sizeText(sizeBytes)}`
  return `- \`${name.replace(/[`\r\n]/g, ' ')}\` (${problem === undefined ? about : `${about}; not available: ${problem}`})`
}
