/** The subject that a request is counted by; a rate that needs an absent one is a caller error. */
export interface RateSubject {
  readonly ip?: string | null
  readonly userId?: string | number
  /** Any text; only its hash is stored. */
  readonly key?: string
}

/** `allowed`, or how long to wait. */
export type RateResult =
  | { readonly allowed: true /** Gives back exactly what this attempt took. */; giveBack(): Promise<void> }
  | { readonly allowed: false; readonly retryAfterMs: number }

/** Exact across processes: all rates of an action are checked, then all taken, in one statement or transaction. */
export interface RateLimits {
  take(action: string, subject: RateSubject, nowMs: number): Promise<RateResult>
  /** As `take`, without taking. */
  check(action: string, subject: RateSubject, nowMs: number): Promise<RateResult>
  /** Forgets what was counted per key. */
  clear(action: string, subject: { readonly key: string }): Promise<void>
  sweep(nowMs: number): Promise<void>
}
