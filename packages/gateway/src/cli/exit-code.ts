/** Exit codes of the process. Listed in `--help` and in docs/cli.md. */
export const EXIT = {
  ok: 0,
  /** The command ran and failed. */
  failed: 1,
  /** The command line is wrong, or a person has to make a choice. */
  usage: 2,
  /** No Gatepost server responds. */
  unreachable: 3,
  /** The token is missing, or the server rejected it. */
  unauthorized: 4,
  /** Ctrl-C, also at a prompt. */
  interrupted: 130,
} as const

/** An exit code of the process. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** An expected failure of a command, shown as a message or, with `--json`, as `{ok: false, error, code}`. */
export class CliError extends Error {
  override readonly name = 'CliError'
  /** Stable, e.g. `not_running`: the server's own code, or one of the command line. */
  readonly code: string
  readonly exit: ExitCode
  /** The message for people. Differs from `message`, which programs get, where context helps. */
  readonly spoken: string
  /** What to do about it, one line each. Not part of the JSON. */
  readonly hints: readonly string[]
  /** Printed below the message for people. */
  readonly listing: string
  /** Additional members of the JSON. */
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

/** Returns the error for wrong usage. @param hints What to do, one line each. */
export const usageError = (message: string, ...hints: string[]): CliError =>
  new CliError('usage', message, { exit: EXIT.usage, hints })
