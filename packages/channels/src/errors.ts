/** Every failure that a caller of the channel API can meet; the table in `docs/` is generated from this object. */
export const CHANNEL_ERRORS = {
  unknown_platform: { status: 404, message: 'There is no such platform.' },
  no_credentials: { status: 404, message: 'This platform has no credentials. Run the set-up first.' },
  credentials_invalid: { status: 422, message: 'The credentials do not have the right form.' },
  credentials_rejected: { status: 422, message: 'The platform rejected the credentials.' },
  platform_unreachable: { status: 502, message: 'The platform could not be reached.' },
  bot_in_use: { status: 409, message: 'Another account of this server already uses this bot.' },
  not_running: { status: 400, message: 'The channel is not running. Enable it first.' },
  no_known_users: { status: 503, message: 'Nobody has written to the bot yet. The person must message the bot first.' },
  user_required: { status: 422, message: 'Several users are known: say which one with user_id.' },
  message_empty: { status: 422, message: 'The message shows nothing.' },
  quota_used_up: { status: 429, message: 'The platform lets no more messages through to this person for now.' },
  no_context: { status: 400, message: 'The person must message the bot first, then try again.' },
  delivery_refused: { status: 502, message: 'The platform refused the message.' },
  delivery_unknown: { status: 504, message: 'The platform did not say whether the message was shown.' },
  delivery_pending: { status: 504, message: 'The message is stored and will be sent, but is not confirmed yet.' },
  unknown_delivery: { status: 404, message: 'There is no such delivery.' },
  delivery_not_dead: { status: 409, message: 'This delivery has not failed, or somebody has dealt with it.' },
  unknown_conversation: { status: 404, message: 'There is no such conversation.' },
  span_invalid: { status: 422, message: 'The span must begin before it ends, and be at most 92 days long.' },
  config_broken: { status: 503, message: 'The credentials file cannot be read.' },
  config_unwritable: { status: 503, message: 'The credentials file cannot be written.' },
  media_too_large: { status: 422, message: 'The file is larger than allowed.' },
  media_unavailable: { status: 502, message: 'The platform did not hand over the file.' },
  unknown_setup: { status: 404, message: 'There is no such set-up. It may have ended, or the server was restarted.' },
  setup_kind_unknown: { status: 422, message: 'This platform cannot be set up in that way.' },
  setup_input_unexpected: { status: 409, message: 'The set-up does not wait for an input.' },
  too_many_setups: { status: 429, message: 'Too many set-ups are under way. Cancel one, or wait.' },
  lease_lost: { status: 503, message: 'Another process has taken over this connection.' },
} as const satisfies Record<string, { status: number; message: string }>

export type ChannelErrorCode = keyof typeof CHANNEL_ERRORS

/** `details` and `message` reach the client: never a token or a platform's raw answer (that is `cause`). */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  readonly code: ChannelErrorCode
  readonly status: number
  readonly details: Readonly<Record<string, string | number>>
  constructor(
    code: ChannelErrorCode,
    options: { message?: string; details?: ChannelError['details']; cause?: unknown } = {},
  ) {
    super(options.message ?? CHANNEL_ERRORS[code].message, 'cause' in options ? { cause: options.cause } : {})
    this.code = code
    this.status = CHANNEL_ERRORS[code].status
    this.details = options.details ?? {}
  }
}

/**
 * The classes of failure that all platforms share, and what the core does about each.
 * Connections throw them, sends answer them.
 */
export const REFUSALS = {
  /** Stop; only new credentials help. */
  credentials_rejected: { connection: 'stop', delivery: 'hold' },
  /** A scope, an intent, a privacy mode, a visible range: goes on, shown as degraded. */
  configuration: { connection: 'degrade', delivery: 'final' },
  /** Another process uses the same credentials: slow retries. */
  taken_over: { connection: 'slow', delivery: 'wait' },
  rate_limited: { connection: 'wait', delivery: 'wait' },
  /** Blocked, deactivated, left, never wrote: final until the person acts. */
  recipient_unreachable: { connection: 'retry', delivery: 'final' },
  /** Only the person's next message makes a send possible: an answer waits for it, a notification is refused. */
  no_context: { connection: 'retry', delivery: 'await' },
  /** The platform lets nothing more through for the moment, however long one waits; else as `no_context`. */
  quota_used_up: { connection: 'retry', delivery: 'await' },
  /** The markup was not understood: once more as plain text. */
  markup_rejected: { connection: 'retry', delivery: 'plain' },
  /** The message to be answered is gone: once more without it. */
  reply_target_gone: { connection: 'retry', delivery: 'unreply' },
  /** Too long, empty, forbidden: final. */
  content_rejected: { connection: 'retry', delivery: 'final' },
  /** The chat has a new id: again with that one. */
  chat_moved: { connection: 'retry', delivery: 'move' },
  /** Provably not accepted: refused connection, no route, an answer that says "not now". */
  network: { connection: 'retry', delivery: 'wait' },
} as const satisfies Record<
  string,
  {
    connection: 'stop' | 'degrade' | 'slow' | 'wait' | 'retry'
    delivery: 'hold' | 'final' | 'wait' | 'await' | 'plain' | 'unreply' | 'move'
  }
>
export type ChannelRefusal = keyof typeof REFUSALS

/** Why a connection ended. `message` is shown to the operator: no secret, no URL that holds one. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly code: ChannelRefusal
  /** Wait at least this long before the next try. */
  readonly retryAfterMs: number | null
  /** Trying again would do harm: only a person may start the channel again. */
  readonly final: boolean
  constructor(
    code: ChannelRefusal,
    message: string,
    options: { retryAfterMs?: number; final?: boolean; cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.code = code
    this.retryAfterMs = options.retryAfterMs ?? null
    this.final = options.final ?? false
  }
}
