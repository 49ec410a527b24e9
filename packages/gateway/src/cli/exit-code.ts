/** What the process ends with; listed in `--help` and in docs/cli.md. */
export const EXIT = {
  ok: 0,
  /** It was tried and did not work. */
  failed: 1,
  /** The command line is wrong, or a choice is needed that only a person can make. */
  usage: 2,
  /** No Gatepost server answers. */
  unreachable: 3,
  /** The server does not accept the token, or there is none. */
  unauthorized: 4,
  /** Ctrl-C, also in a question. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** An expected failure of a command: shown as a sentence, or with `--json` as `{ok: false, error, code}`. */
export class CliError extends Error {
  override readonly name = 'CliError'
  /** Stable, e.g. `not_running`: the server's own code, or one of the command line. */
  readonly code: string
  readonly exit: ExitCode
  /** The failure as a person reads it, where that is more than `message`, which a program gets. */
  readonly spoken: string
  /** What to do about it, one line each; never in the JSON form. */
  readonly hints: readonly string[]
  /** Printed below the sentence for a person. */
  readonly listing: string
  /** More members of the JSON form. */
  readonly details: Readonly<Record<string, unknown>>
  constructor(
    code: string,
    message: string,
    options: {
      exit?: ExitCode
      spoken?: string
      hints?: readonly string[]
      listing?: string
      details?: Readonly<Record<string, unknown>>
      cause?: unknown
    } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.code = code
    this.exit = options.exit ?? EXIT.failed
    this.spoken = options.spoken ?? message
    this.hints = options.hints ?? []
    this.listing = options.listing ?? ''
    this.details = options.details ?? {}
  }
}

export const usageError = (message: string, ...hints: string[]): CliError =>
  new CliError('usage', message, { exit: EXIT.usage, hints })
