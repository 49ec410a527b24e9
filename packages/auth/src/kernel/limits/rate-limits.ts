/** The subject that an attempt is counted for. Omitting one that a rate needs is a bug. */
export interface RateSubject {
  readonly ip?: string | null
  readonly userId?: string | number
  /** Any text; only its hash is stored. */
  readonly key?: string
}

/** The result of an attempt. If it's refused, `retryAfterMs` is how long to wait. */
export type RateResult =
  | { readonly allowed: true /** Gives back the slots that this attempt took. */; giveBack(): Promise<void> }
  | { readonly allowed: false; readonly retryAfterMs: number }

/** Rate limits that are exact across processes: an attempt takes a slot of every rate of an action, or of none. */
export interface RateLimits {
  /** Counts an attempt, unless a rate is exceeded. */
  take(action: string, subject: RateSubject, nowMs: number): Promise<RateResult>
  /** Returns what `take` would, without counting an attempt. */
  check(action: string, subject: RateSubject, nowMs: number): Promise<RateResult>
  /** Resets an action's rates per key. */
  clear(action: string, subject: { readonly key: string }): Promise<void>
  sweep(nowMs: number): Promise<void>
}
