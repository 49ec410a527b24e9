/** A stream that text is written to, and what it can show. */
export interface Output {
  write(text: string): void
  readonly isTty: boolean
  readonly colour: boolean
  /** Characters in a line; `Infinity` when it is not a terminal. */
  readonly columns: number
}
