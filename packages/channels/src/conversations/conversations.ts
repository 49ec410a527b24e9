import type { Clock, Log } from '../platform.ts'
import type { Slots } from '../slots.ts'
import { runTurn, type TurnContext, type TurnResult } from './turn.ts'
import { type Pending, readPending, waitingConversations } from './turns.sql.ts'

/** Answers what waits: one turn at a time in each conversation, many conversations at once. */
export interface Conversations {
  /** A message of this conversation has been stored. */
  wake(conversationId: string): void
  /** Finds what waits in the database. */
  recover(): Promise<void>
  /** Begins nothing new; resolves when the turns under way have ended. `signal` breaks them off: they run again later. */
  stop(signal: AbortSignal): Promise<void>
}

export interface ConversationsOptions {
  readonly turn: TurnContext
  readonly slots: Slots
  readonly clock: Clock
  readonly log: Log
  readonly onTurn: (result: TurnResult, pending: Pending) => void
}

/** Most messages that one turn answers. */
const MAX_MESSAGES = 50
/** After a failure of our own database. */
const RECOVER_MS = 2_000

export function createConversations(options: ConversationsOptions): Conversations {
  const { clock, log } = options
  const { handle } = options.turn
  /** Conversations with a runner; true: something came while it ran. */
  const active = new Map<string, { again: boolean }>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const breaking = new AbortController()

  function wake(conversationId: string): void {
    if (stopping.signal.aborted) return
    const runner = active.get(conversationId)
    if (runner) {
      runner.again = true
      return
    }
    const fresh = { again: true }
    active.set(conversationId, fresh)
    const run = drive(conversationId, fresh).finally(() => running.delete(run))
    running.add(run)
  }

  async function drive(conversationId: string, runner: { again: boolean }): Promise<void> {
    while (runner.again && !stopping.signal.aborted) {
      runner.again = false
      const waitMs = await step(conversationId).catch((error: unknown) => {
        if (!breaking.signal.aborted) log.error('conversations: a turn was broken off', { conversationId, error })
        return RECOVER_MS
      })
      if (waitMs === null) continue
      runner.again = true
      if (waitMs > 0) await clock.sleep(waitMs, stopping.signal)
    }
    // in the same step as the last look, so that no `wake` in between is lost
    active.delete(conversationId)
  }

  /** @returns how long to wait before the next look, in milliseconds; `null`: nothing waits. */
  function step(conversationId: string): Promise<number | null> {
    return options.slots.run(async () => {
      if (stopping.signal.aborted) return null
      const pending = await readPending(handle, conversationId, MAX_MESSAGES)
      if (!pending) return null
      const dueMs = dueAt(pending) - clock.now()
      if (dueMs > 0) return dueMs
      const result = await runTurn(options.turn, pending, breaking.signal)
      options.onTurn(result, pending)
      return result.result === 'retry' ? Math.max(0, result.atMs - clock.now()) : 0
    })
  }

  return {
    wake,
    async recover() {
      for (const conversationId of await waitingConversations(handle)) wake(conversationId)
    },
    async stop(signal) {
      stopping.abort()
      const breakOff = (): void => breaking.abort()
      signal.addEventListener('abort', breakOff, { once: true })
      if (signal.aborted) breakOff()
      await Promise.all(running)
      signal.removeEventListener('abort', breakOff)
    },
  }
}

function dueAt({ turn, messages }: Pending): number {
  if (turn && turn.attempts > 0) return turn.next_attempt_at_ms
  return Math.max(...messages.map((message) => message.answer_after_ms))
}
