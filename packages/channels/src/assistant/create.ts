import type { spawn } from 'node:child_process'
import type { Clock, Log } from '../platform-io.ts'
import { limitAnswer } from './answer-limit.ts'
import { type Assistant, AssistantError, type AssistantPiece, type AssistantTurn } from './assistant.ts'
import { askCommand } from './command.ts'
import { echo } from './echo.ts'
import { askHttp } from './http.ts'
import { askOpenAi } from './openai.ts'
import type { AssistantSettings } from './settings.ts'
import { type Watch, startWatch } from './watch.ts'

/** The world as an assistant may touch it. */
export interface AssistantIo {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly log: Log
  readonly spawn?: typeof spawn
  /** What a program finds in its environment, `GATEPOST_…` taken out. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * The assistant of these settings. Its `reply` throws the signal's reason when the signal aborts, and an
 * `AssistantError` otherwise; in either case, and when the caller stops iterating, connection, program and timers have
 * ended when the iteration has.
 */
export function createAssistant(settings: AssistantSettings, io: AssistantIo): Assistant {
  const answer = answerOf(settings, io)
  return { reply: (turn, signal) => guard(answer, settings, io.clock, turn, signal) }
}

type Answer = (turn: AssistantTurn, watch: Watch) => AsyncIterable<AssistantPiece>

function answerOf(settings: AssistantSettings, io: AssistantIo): Answer {
  switch (settings.kind) {
    case 'echo':
      return echo
    case 'openai': {
      const endpoint = { fetch: io.fetch, clock: io.clock, apiKey: settings.apiKey }
      return (turn, watch) => askOpenAi(settings, endpoint, io.log, turn, watch)
    }
    case 'http': {
      const endpoint = { fetch: io.fetch, clock: io.clock, apiKey: settings.apiKey }
      return (turn, watch) => askHttp(settings, endpoint, turn, watch)
    }
    case 'command':
      return (turn, watch) => askCommand(settings, io, turn, watch)
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
    for await (const piece of limitAnswer(answer(turn, watch), settings.maxAnswerCharacters)) {
      watch.piece()
      if (piece.type === 'file' || piece.text.trim() !== '') empty = false
      yield piece
    }
  } catch (error) {
    watch.signal.throwIfAborted()
    if (error instanceof AssistantError) throw error
    throw new AssistantError('malformed', 'The assistant failed in an unexpected way.', { cause: error })
  } finally {
    watch.end()
  }
  if (empty) throw new AssistantError('malformed', 'The answer is empty.')
}
