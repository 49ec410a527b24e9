import type { Clock, Log } from '../platform-io.ts'
import type { Semaphore } from '../semaphore.ts'
import { runTurn, type TurnContext, type TurnResult } from './turn.ts'
import { type Pending, readPending, waitingConversations } from './turns.sql.ts'

/** Answers pending messages: one turn at a time per conversation, many conversations at once. */
export interface Conversations {
  /** Call when a message of this conversation has been stored. */
  wake(conversationId: string): void
  /** Picks up pending messages from the database. */
  recover(): Promise<void>
  /** Starts no new turns and resolves when the running ones have ended. `signal` interrupts them; they run again later. */
  stop(signal: AbortSignal): Promise<void>
}

/** Options of `createConversations`. */
export interface ConversationsOptions {
  readonly turn: Omit<TurnContext, 'aside'>
  readonly slots: Semaphore
  readonly clock: Clock
  readonly log: Log
  readonly onTurn: (result: TurnResult, pending: Pending) => void
}

/** Most messages that one turn answers. */
const MAX_MESSAGES = 50
/** After a failure of our own database. */
const RECOVER_MS = 2_000

/** Creates the conversation worker of one bot. */
export const createConversations = (options: ConversationsOptions): Conversations => new ConversationRunner(options)

class ConversationRunner implements Conversations {
  readonly #options: ConversationsOptions
  /** Conversations that are being worked on. `again`: something arrived meanwhile. */
  readonly #active = new Map<string, { again: boolean }>()
  readonly #running = new Set<Promise<void>>()
  /** Work that outlives its turn, e.g. removing a typing indicator. */
  readonly #background = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #breaking = new AbortController()

  constructor(options: ConversationsOptions) {
    this.#options = options
  }

  wake(conversationId: string): void {
    if (this.#stopping.signal.aborted) return
    const runner = this.#active.get(conversationId)
    if (runner) {
      runner.again = true
      return
    }
    const fresh = { again: true }
    this.#active.set(conversationId, fresh)
    const run = this.#runConversation(conversationId, fresh).finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  async recover(): Promise<void> {
    for (const conversationId of await waitingConversations(this.#options.turn.handle)) {
      // an active runner schedules itself
      if (!this.#active.has(conversationId)) this.wake(conversationId)
    }
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#stopping.abort()
    const breakOff = (): void => this.#breaking.abort()
    signal.addEventListener('abort', breakOff, { once: true })
    if (signal.aborted) breakOff()
    await Promise.all(this.#running)
    const broken = new Promise((resolve) => this.#breaking.signal.addEventListener('abort', resolve, { once: true }))
    if (!this.#breaking.signal.aborted) await Promise.race([Promise.all(this.#background), broken])
    signal.removeEventListener('abort', breakOff)
  }

  async #runConversation(conversationId: string, runner: { again: boolean }): Promise<void> {
    const { clock, log } = this.#options
    while (runner.again && !this.#stopping.signal.aborted) {
      runner.again = false
      const waitMs = await this.#runNextTurn(conversationId).catch((error: unknown) => {
        if (!this.#breaking.signal.aborted) log.error('A turn was interrupted', { conversationId, error })
        return RECOVER_MS
      })
      if (waitMs === null) continue
      runner.again = true
      if (waitMs > 0) await clock.sleep(waitMs, this.#stopping.signal)
    }
    // in the same tick as the last check, so that no `wake` in between is lost
    this.#active.delete(conversationId)
  }

  /** Runs one turn. @returns how long to wait before the next check, in milliseconds; `null`: nothing is pending. */
  #runNextTurn(conversationId: string): Promise<number | null> {
    const { slots, turn, clock, onTurn } = this.#options
    return slots.run(async () => {
      const pending = await readPending(turn.handle, conversationId, MAX_MESSAGES)
      if (!pending) return null
      const dueMs = dueAt(pending) - clock.now()
      if (dueMs > 0) return dueMs
      const background = (work: Promise<void>): void => {
        const kept = work.finally(() => this.#background.delete(kept))
        this.#background.add(kept)
      }
      const result = await runTurn({ ...turn, aside: background }, pending, this.#breaking.signal)
      onTurn(result, pending)
      return result.result === 'retry' ? Math.max(0, result.atMs - clock.now()) : 0
    }, this.#stopping.signal)
  }
}

function dueAt({ turn, messages }: Pending): number {
  if (turn && turn.attempts > 0) return turn.next_attempt_at_ms
  return Math.max(...messages.map((message) => message.answer_after_ms))
}
