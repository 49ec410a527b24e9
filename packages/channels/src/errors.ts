/** Every error of the channel API. The table in `docs/` is generated from this object. */
export const CHANNEL_ERRORS = {
  unknown_platform: { status: 404, message: 'Unknown platform.' },
  too_many_channels: { status: 409, message: 'This account has as many channels as it may have. Remove one first.' },
  no_credentials: { status: 404, message: 'This channel has no credentials. Run the setup first.' },
  credentials_invalid: { status: 422, message: 'The credentials are malformed.' },
  credentials_rejected: { status: 422, message: 'The platform rejected the credentials.' },
  platform_unreachable: { status: 502, message: "Couldn't reach the platform. Check the network, then try again." },
  server_not_public: {
    status: 422,
    message: "The bot's server has no public address. The operator can allow it with GATEPOST_PRIVATE_SERVERS.",
  },
  bot_in_use: { status: 409, message: 'Another account of this server already uses this bot.' },
  not_running: { status: 400, message: "The channel isn't running. Enable it first." },
  no_known_users: {
    status: 503,
    message: 'The bot has no known users yet. Ask the recipient to message the bot first.',
  },
  user_required: { status: 422, message: 'The bot has several known users. Choose one with user_id.' },
  message_empty: { status: 422, message: 'The message has no visible content.' },
  quota_used_up: {
    status: 429,
    message: "You've reached the platform's limit on messages to this person. Try again later.",
  },
  no_context: { status: 400, message: 'The recipient must message the bot first. Then try again.' },
  delivery_refused: { status: 502, message: 'The platform refused the message.' },
  delivery_unknown: { status: 504, message: "The platform didn't confirm whether the message was delivered." },
  delivery_pending: { status: 504, message: 'The message is queued but not confirmed yet. It will be sent.' },
  unknown_delivery: { status: 404, message: 'Unknown delivery.' },
  delivery_not_dead: { status: 409, message: "This delivery hasn't failed, or it was already retried or dismissed." },
  unknown_conversation: { status: 404, message: 'Unknown conversation.' },
  span_invalid: { status: 422, message: 'The time range must start before it ends and span at most 92 days.' },
  config_broken: {
    status: 503,
    message: "Couldn't read the credentials file.",
    /** What the doctor advises. */
    remedy: 'Fix the file at that line, or move it away and set up the channels again.',
  },
  config_unwritable: { status: 503, message: "Couldn't write the credentials file." },
  media_too_large: { status: 422, message: 'The file is too large.' },
  media_unavailable: { status: 502, message: "Couldn't download the file from the platform." },
  unknown_setup: { status: 404, message: 'Unknown setup. It may have ended, or the server was restarted.' },
  setup_kind_unknown: { status: 422, message: "This platform doesn't support that setup method." },
  setup_input_unexpected: { status: 409, message: "The setup isn't waiting for input." },
  too_many_setups: { status: 429, message: 'Too many setups are in progress. Cancel one or wait.' },
  lease_lost: { status: 503, message: 'Another process has taken over this connection.' },
} as const satisfies Record<string, { status: number; message: string; remedy?: string }>

/** Stable code of a channel error. */
export type ChannelErrorCode = keyof typeof CHANNEL_ERRORS

/** An error of the channel API. `details` and `message` reach the client: no token, no raw response (use `cause`). */
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
 * The kinds of failure that all platforms share, and how the core reacts to each. Connections throw them, sends
 * return them.
 */
export const REFUSALS = {
  /** Stop; only new credentials help. */
  credentials_rejected: { connection: 'stop', delivery: 'hold' },
  /** A scope, an intent, a privacy mode, a visibility range: keeps running, shown as degraded. */
  configuration: { connection: 'degrade', delivery: 'final' },
  /** Another process uses the same credentials: slow retries. */
  taken_over: { connection: 'slow', delivery: 'wait' },
  rate_limited: { connection: 'wait', delivery: 'wait' },
  /** Blocked, deactivated, left, never wrote: final until the user acts. */
  recipient_unreachable: { connection: 'retry', delivery: 'final' },
  /** Only the user's next message makes a send possible: a reply waits for it, a notification is refused. */
  no_context: { connection: 'retry', delivery: 'await' },
  /** The platform allows no more sends for now, and waiting does not help; otherwise like `no_context`. */
  quota_used_up: { connection: 'retry', delivery: 'await' },
  /** The platform rejected the markup: retried as plain text. */
  markup_rejected: { connection: 'retry', delivery: 'plain' },
  /** The message to reply to is gone: retried without it. */
  reply_target_gone: { connection: 'retry', delivery: 'unreply' },
  /** Too long, empty, forbidden: final. */
  content_rejected: { connection: 'retry', delivery: 'final' },
  /** The chat has a new id: retried with it. */
  chat_moved: { connection: 'retry', delivery: 'move' },
  /** Certainly not accepted: connection refused, no route, or a "try again later" response. */
  network: { connection: 'retry', delivery: 'wait' },
} as const satisfies Record<
  string,
  {
    connection: 'stop' | 'degrade' | 'slow' | 'wait' | 'retry'
    delivery: 'hold' | 'final' | 'wait' | 'await' | 'plain' | 'unreply' | 'move'
  }
>
/** Kind of failure that a platform or connection reported. */
export type ChannelRefusal = keyof typeof REFUSALS

/** Why a connection ended. `message` is shown to the operator: no secret, no URL that contains one. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly code: ChannelRefusal
  /** Minimum wait before the next attempt. */
  readonly retryAfterMs: number | null
  /** Reconnecting would do harm: the channel stays stopped until someone enables it. */
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
