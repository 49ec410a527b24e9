/** What the process that plays the platform and its people is asked to do. */
export type LoadCommand =
  | { readonly type: 'firstPoll'; readonly afterMs: number }
  /** Each message after the answer to the one before. */
  | { readonly type: 'oneByOne'; readonly messages: number }
  | { readonly type: 'atRate'; readonly perSecond: number; readonly messages: number; readonly users: number }
  /**
   * Everybody says the next thing as soon as they are answered, until the time is over or `messages` are said. Counted is
   * what happens in `forMs` after `warmUpMs` and a first answer for everybody, and the processor time that process `pid` uses meanwhile.
   */
  | ({ readonly type: 'saturate' } & SaturationOptions)

export interface SaturationOptions {
  readonly users: number
  readonly warmUpMs: number
  readonly forMs: number
  readonly messages: number
  readonly pid: number
}

export interface Latencies {
  /** From the poll that handed the update out to the arrival of the answer, ms. */
  readonly fromHandedMs: readonly number[]
  /** From the moment it was said: with the wait for the next poll. */
  readonly fromSaidMs: readonly number[]
}

export interface Saturation {
  /** All of the run. */
  readonly answers: number
  readonly perSecond: number
  /** Processor time of the observed process for each answer, ms. */
  readonly cpuMs: number
  /** Share of a core that the load process itself used. */
  readonly loadShare: number
}

export interface Progress {
  readonly answers: number
  readonly residentBytes: number
}

export type LoadReply = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string })
