/** What the process that plays the platform and its people is asked to do. */
export type LoadCommand =
  | { readonly type: 'firstPoll'; readonly afterMs: number }
  /** Each message after the answer to the one before. */
  | { readonly type: 'oneByOne'; readonly messages: number }
  | { readonly type: 'atRate'; readonly perSecond: number; readonly messages: number; readonly users: number }
  /** Everybody says the next thing as soon as they are answered, until the time is over or `messages` are said. */
  | { readonly type: 'saturate'; readonly users: number; readonly forMs: number; readonly messages: number }

export interface Latencies {
  /** From the poll that handed the update out to the arrival of the answer, ms. */
  readonly fromHandedMs: readonly number[]
  /** From the moment it was said: with the wait for the next poll. */
  readonly fromSaidMs: readonly number[]
}

export interface Saturation {
  readonly answers: number
  readonly perSecond: number
  readonly tookMs: number
  readonly loadCpuMs: number
}

export type LoadReply = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string })
