import { BoundedLog } from '../kit/bounded-log.ts'
import type { EmulatorClock } from '../kit/clock.ts'
import { otherPoller } from './failure.ts'
import type { Update, UpdateType } from './wire.ts'

/** How long unconfirmed updates are kept, in ms. */
const RETENTION_MS = 24 * 60 * 60_000
/** Maximum duration of a long poll, in seconds. */
const HOLD_LIMIT_SECONDS = 50

/**
 * The server ignores an offset further than this above the next id, which belongs to another numbering, as after a week
 * without updates. A nearer offset confirms everything below it, including later updates.
 * @see github.com/tdlib/td, `TQueue::get`, and github.com/tdlib/telegram-bot-api, `Client::do_get_updates`
 */
const FUTURE_LIMIT = 10

/** An update and its delivery. */
export interface UpdateRecord {
  readonly update: Update
  readonly atMs: number
  /** Number of deliveries. */
  deliveries: number
  /** Time of the first delivery. */
  firstDeliveredAtMs: number | null
  confirmedAtMs: number | null
}

/** Parameters of `getUpdates`. */
export interface PollRequest {
  readonly offset: number
  readonly limit: number
  readonly timeoutSeconds: number
  /** Allowed kinds; `null`: as in the previous poll. */
  readonly allowed: readonly string[] | null
}

/** Times of polls. */
export interface UpdateTiming {
  /** How long a 409 for a second poller is held back, ms. */
  readonly conflictDelayMs: number
  /** A poll that repeats an offset sooner than this is held this long, in ms. */
  readonly repeatHoldMs: number
}

/** Updates of a bot, delivered until they are confirmed. */
export class UpdateQueue {
  readonly confirmed: BoundedLog<UpdateRecord>
  readonly #clock: EmulatorClock
  readonly #timing: UpdateTiming
  readonly #onChange: (confirmedUpTo?: number) => void
  #pending: UpdateRecord[] = []
  #nextId: number
  #allowed: ReadonlySet<string> | null = null
  #waiting: { readonly wake: AbortController; terminated: boolean } | null = null
  #lastPoll = { offset: Number.NaN, atMs: 0 }

  constructor(
    clock: EmulatorClock,
    history: number,
    firstId: number,
    timing: UpdateTiming,
    onChange: (confirmedUpTo?: number) => void,
  ) {
    this.#clock = clock
    this.#nextId = firstId
    this.#timing = timing
    this.#onChange = onChange
    this.confirmed = new BoundedLog(history)
  }

  /** Unconfirmed updates, oldest first. */
  get pending(): readonly UpdateRecord[] {
    return this.#pending
  }

  /** Whether a poll is pending. */
  get isHeld(): boolean {
    return this.#waiting !== null
  }

  /** Adds an update. Returns its id, or `null` when the bot doesn't accept this kind. */
  add(content: Partial<Record<UpdateType, unknown>>): number | null {
    const [type] = Object.keys(content)
    if (type === undefined || (this.#allowed !== null && !this.#allowed.has(type))) return null
    const update = { update_id: this.#nextId++, ...content } as Update // callers pass the wire's own objects
    this.#pending.push({
      update,
      atMs: this.#clock.now(),
      deliveries: 0,
      firstDeliveredAtMs: null,
      confirmedAtMs: null,
    })
    this.#waiting?.wake.abort()
    return update.update_id
  }

  /** Drops all unconfirmed updates. */
  drop(): void {
    this.#pending = []
  }

  /**
   * Handles `getUpdates`.
   * @param gone Aborts when the client disconnects.
   * @throws {TelegramFailure} 409 when another poll replaced this one
   */
  async poll(request: PollRequest, gone: AbortSignal): Promise<readonly Update[]> {
    this.#terminateWaiting()
    if (request.allowed) this.#allowed = request.allowed.length === 0 ? null : new Set(request.allowed)
    this.#confirm(request.offset)
    const untilMs = this.#clock.now() + this.#holdMs(request)
    while (this.#pending.length === 0 && this.#clock.now() < untilMs && !gone.aborted) {
      await this.#hold(untilMs - this.#clock.now(), gone)
      this.#confirm(request.offset)
    }
    const batch = this.#pending.slice(0, request.limit)
    if (!gone.aborted) for (const record of batch) this.#recordDelivery(record)
    return batch.map(({ update }) => update)
  }

  #recordDelivery(record: UpdateRecord): void {
    record.deliveries++
    record.firstDeliveredAtMs ??= this.#clock.now()
  }

  #holdMs({ offset, timeoutSeconds }: PollRequest): number {
    const now = this.#clock.now()
    const { repeatHoldMs } = this.#timing
    const isRepeated = this.#lastPoll.offset === offset && now - this.#lastPoll.atMs < repeatHoldMs
    this.#lastPoll = { offset, atMs: now }
    const requestedMs = Math.min(Math.max(timeoutSeconds, 0), HOLD_LIMIT_SECONDS) * 1000
    return isRepeated ? Math.max(requestedMs, repeatHoldMs) : requestedMs
  }

  async #hold(ms: number, gone: AbortSignal): Promise<void> {
    const waiting = { wake: new AbortController(), terminated: false }
    const leave = (): void => waiting.wake.abort()
    gone.addEventListener('abort', leave, { once: true })
    this.#waiting = waiting
    this.#onChange()
    await this.#clock.sleep(ms, waiting.wake.signal)
    gone.removeEventListener('abort', leave)
    if (this.#waiting === waiting) this.#waiting = null
    this.#onChange()
    if (!waiting.terminated) return
    await this.#clock.sleep(this.#timing.conflictDelayMs, gone)
    throw otherPoller()
  }

  #terminateWaiting(): void {
    if (!this.#waiting) return
    this.#waiting.terminated = true
    this.#waiting.wake.abort()
    this.#waiting = null
  }

  #confirm(offset: number): void {
    const now = this.#clock.now()
    const old = this.#pending.findIndex(({ atMs }) => atMs > now - RETENTION_MS)
    if (old !== 0) this.#pending.splice(0, old === -1 ? this.#pending.length : old)
    if (offset === 0 || offset > this.#nextId + FUTURE_LIMIT) return
    const kept = offset < 0 ? Math.min(-offset, this.#pending.length) : this.#countPendingFrom(offset)
    const confirmed = this.#pending.splice(0, this.#pending.length - kept)
    if (confirmed.length === 0) return
    for (const record of confirmed) {
      record.confirmedAtMs = now
      this.confirmed.push(record)
    }
    this.#onChange(confirmed.at(-1)?.update.update_id)
  }

  #countPendingFrom(offset: number): number {
    const index = this.#pending.findIndex(({ update }) => update.update_id >= offset)
    return index === -1 ? 0 : this.#pending.length - index
  }
}
