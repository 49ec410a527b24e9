/** A value of a finding: a number, a name, or a list of names. */
export type FindingValue = string | number | boolean | null | readonly string[]

/** Why a call failed. Values are `null` where they don't apply. */
export type FailureValues = {
  /** The platform's own words, or an English description. */
  readonly words: string
  /** `null`: the platform responded, and `words` is its response. */
  readonly cause: 'timed_out' | 'connection_failed' | 'foreign_response' | 'cancelled' | null
  readonly seconds: number | null
  /** Code of the network error, e.g. `ECONNREFUSED`. */
  readonly error: string | null
  /** HTTP status of the response. */
  readonly status: number | null
}

type At<V> = { readonly url: string } & V

/**
 * What a check can find: the English text for each code. Clients translate a finding by its code and values. A code means
 * the same in every check and is never reused.
 */
const FINDINGS = {
  // the service
  config_readable: () => 'Readable.',
  config_broken: ({ message }: { readonly message: string }) => message,
  channels_configured: ({ names }: { readonly names: readonly string[] }) => names.join(', '),
  no_channels: () => 'No channels configured yet.',
  database_responds: () => 'The database responds.',
  database_unavailable: () => "The database isn't responding.",
  clock_skew: ({ seconds }: { readonly seconds: number }) => `${seconds} s apart.`,
  check_failed: () => 'The check failed unexpectedly.',
  check_timed_out: () => 'No response in time.',
  no_credentials: ({ platform }: { readonly platform: string }) => `No credentials are stored for ${platform}.`,
  credentials_complete: ({ fields }: { readonly fields: readonly string[] }) => fields.join(', '),
  credentials_incomplete: ({ fields }: { readonly fields: readonly string[] }) =>
    `One of ${fields.join(', ')} is missing or malformed.`,
  // today's log
  log_unreadable: () => "Couldn't read it.",
  no_log: () => 'No log file for today.',
  log_connected: () => 'The latest entry is a successful connection.',
  log_failure: ({ words }: { readonly reason: string | null; readonly words: string }) =>
    `The latest entry is a failure: ${words}`,
  log_without_failures: () => 'No problems today; connected since before midnight.',
  log_without_entries: () => 'No entries for this channel.',
  // the channel's own state
  channel_disabled: () => 'Disabled.',
  channel_running: () => 'Receiving messages.',
  channel_state: ({
    state,
    message,
  }: {
    readonly state: string
    readonly reason: string | null
    readonly message: string | null
  }) => message ?? `State: ${state.replace('_', ' ')}.`,
  no_heartbeat: () => 'No heartbeat yet.',
  heartbeat: ({ seconds, last_message }: { readonly seconds: number; readonly last_message: string | null }) =>
    `Last heartbeat ${seconds} s ago; ${last_message === null ? 'no messages yet' : `last message ${last_message}`}.`,
  no_gaps: () => 'No gaps in the last 24 hours.',
  gaps: ({
    count,
    from,
    to,
    why,
  }: {
    readonly count: number
    readonly from: string
    readonly to: string
    readonly why: string
  }) => `Gaps in the last 24 hours: ${count}. Latest: ${from} to ${to}, ${why.replace(/\.+$/, '')}.`,
  deliveries_queued: ({ count }: { readonly count: number }) => (count === 0 ? 'Nothing queued.' : `${count} queued.`),
  deliveries_failed: ({ count }: { readonly count: number }) => `${count} undelivered.`,
  no_users: () => 'No one has messaged the bot yet.',
  users_reachable: ({
    reachable,
    total,
    least,
  }: {
    readonly reachable: number
    readonly total: number
    /** Sends left of the user with the fewest; `null`: unlimited. */
    readonly least: number | null
  }) =>
    `${reachable} of ${total} known users are reachable.${least === null ? '' : ` Each has at least ${least} sends left.`}`,
  users_unreachable: ({
    total,
    words,
  }: {
    readonly total: number
    readonly code: string | null
    readonly words: string
  }) => `0 of ${total} known users are reachable. Most recent user: ${words.replace(/\.$/, '')}.`,
  // all platforms
  server_responds: ({ url }: { readonly url: string }) => url,
  server_unreachable: ({ url, words }: At<FailureValues>) => `${url}: ${words}`,
  refused: ({ words }: FailureValues) => words,
  bot_accepted: ({ name, id }: { readonly name: string; readonly id: string }) => `${name} (${id})`,
  unknown_response: ({ url }: { readonly url: string }) => `${url}: the response isn't a bot profile`,
  not_connected: () => 'Not connected.',
  // Feishu
  app_id_valid: ({ app_id }: { readonly app_id: string }) => `${app_id}…: cli_ and 16 hexadecimal digits.`,
  token_issued: ({ app_id }: { readonly app_id: string }) => `A token was issued for ${app_id}….`,
  bot_enabled: ({ name }: { readonly name: string }) => name,
  bot_not_enabled: ({ name }: { readonly name: string }) =>
    `${name} isn't enabled, or no version with it has been published.`,
  scopes_unknown: () => "Couldn't find out which scopes are granted.",
  scopes_missing: ({ scopes }: { readonly scopes: readonly string[] }) => `Missing: ${scopes.join(', ')}.`,
  scopes_not_granted: ({ scopes, uses }: { readonly scopes: readonly string[]; readonly uses: readonly string[] }) =>
    `Not granted: ${scopes.map((scope, index) => `${scope} (${uses[index] ?? ''})`).join('; ')}.`,
  scopes_granted: ({ count }: { readonly count: number }) => `${count} scopes are granted.`,
  connections_unknown: () => "Couldn't find out how many programs are connected.",
  several_connections: ({ count }: { readonly count: number }) =>
    `${count} programs are connected as this app. Each message goes to only one of them.`,
  no_connection: ({ own }: { readonly own: boolean }) =>
    own ? 'Feishu reports no connection.' : 'No program is connected as this app.',
  one_connection: ({ own }: { readonly own: boolean }) =>
    `One program is connected, ${own ? 'from this process' : 'from another process'}.`,
  last_frame: ({ seconds, every }: { readonly seconds: number; readonly every: number }) =>
    `Last frame ${seconds} s ago; pings are sent every ${every} s.`,
  // WeCom
  credentials_valid: ({ bot_id }: { readonly bot_id: string }) =>
    `${bot_id}: starts with aib, and neither value contains spaces.`,
  connected_to: ({ url }: { readonly url: string }) => `Connected to ${url}.`,
  connection_failed: ({ url, words }: At<FailureValues>) => `Couldn't reach ${url}: ${words}.`,
  subscribed: ({ seconds, fresh }: { readonly seconds: number; readonly fresh: boolean }) =>
    `Subscribed; last heartbeat ${seconds} s ago.${fresh ? '' : ' It will be replaced shortly.'}`,
  never_subscribed: () => "This process hasn't connected with this bot since it started.",
  subscribed_before: () => 'Accepted earlier, but not connected now.',
  subscription_refused: ({ words, code }: { readonly words: string; readonly code: number }) =>
    `WeCom refused it: ${words} (${code}).`,
  not_taken_over: () => 'No other connection reported.',
  taken_over: () => 'Another connection of this bot replaced ours. WeCom allows only one.',
  not_limited: () => 'Not rate limited.',
  limited: ({ words, code }: { readonly words: string; readonly code: number }) =>
    `The last attempt was rate limited: ${words} (${code}). The next attempt is in a minute.`,
  probe_accepted: () => 'The signed probe was accepted.',
  probe_inconclusive: ({ words }: FailureValues) => `The signed probe was inconclusive: ${words}.`,
  probe_refused: ({
    words,
    code,
    doubt,
  }: {
    readonly words: string
    readonly code: number
    /** Why it may be wrong. */
    readonly doubt: 'connected' | 'new_bot' | null
  }) =>
    `The signed probe was refused: ${words} (${code}).${
      doubt === 'connected'
        ? ' The connection was accepted, so the probe is wrong.'
        : doubt === 'new_bot'
          ? ' It can be wrong for new bots.'
          : ''
    }`,
  // Weixin
  login_accepted: () =>
    "Accepted. Gatepost can't detect whether another program uses the same token; if so, each message reaches only one of the two.",
  files_unreachable: ({ url, words }: At<FailureValues>) => `${url}: ${words}. Text messages work, files don't.`,
  last_poll: ({ seconds, failures }: { readonly seconds: number; readonly failures: number }) =>
    `Last response ${formatAge(seconds)} ago; errors since: ${failures}.`,
  no_windows: () => 'No one has messaged the bot since the server started, so it cannot message anyone yet.',
  sends_left: ({
    open,
    least,
    used_up,
    seconds,
  }: {
    readonly open: number
    readonly least: number
    readonly used_up: number
    /** Since the latest message; `null`: none yet. */
    readonly seconds: number | null
  }) =>
    `${open} reachable${open === 0 ? '' : `, with at least ${least} sends left each`}.${
      used_up === 0 ? '' : ` ${used_up} out of sends until they write again.`
    }${seconds === null ? '' : ` Latest message ${formatAge(seconds)} ago.`}`,
  // Discord
  content_enabled: () => 'Enabled.',
  content_disabled: () => 'Disabled: in servers, the bot only receives messages that mention it. Direct messages work.',
  content_unknown: () => "Couldn't find out whether the message content intent is enabled.",
  no_gateway: () => 'Discord returned no gateway URL.',
  sessions_left: ({ count }: { readonly count: number }) => `${count} left today.`,
  in_servers: ({ count, name }: { readonly count: number; readonly name: string }) => `In ${count}: ${name}`,
  in_no_server: () => "The bot isn't in any server. Only people who share a server with it can message it.",
  gateway_heard: ({ seconds, close_code }: GatewayValues) => `Last heard ${seconds} s ago.${describeClose(close_code)}`,
  gateway_silent: ({ seconds, close_code }: GatewayValues) => `No events for ${seconds} s.${describeClose(close_code)}`,
  gateway_closed: ({ close_code }: Pick<GatewayValues, 'close_code'>) => `Not connected.${describeClose(close_code)}`,
  // Telegram
  privacy_disabled: () => 'Disabled: the bot receives every message in its groups.',
  privacy_enabled: () =>
    'Enabled: in groups, the bot receives commands, mentions, and replies to it. To change it, send /setprivacy to BotFather, then remove the bot from the group and add it again.',
  webhook_unknown: () => "Couldn't find out whether a webhook is set.",
  no_webhook: () => 'No webhook is set.',
  webhook_set: ({ host }: { readonly host: string | null }) =>
    `A webhook is set, so messages go to ${host ?? 'another server'}.`,
  updates_pending: ({ count }: { readonly count: number | null }) => (count === null ? 'unknown' : String(count)),
  // DingTalk
  access_token_issued: () => 'DingTalk issued an access token.',
  stream_offered: () => 'DingTalk returned a stream URL.',
  stream_refused: ({ words }: { readonly reason: string; readonly words: string }) => words,
  stream_alive: () => 'Last frame received within 90 s.',
  stream_silent: () => 'No frames received for 90 s.',
  message_received: () => 'The last message was received at the time shown.',
  no_message: () =>
    'None received since the service started. In groups, the robot only receives messages that mention it.',
  sends_refused: ({ count, words }: { readonly count: number; readonly words: string }) =>
    `${count} sends refused since the service started. Latest: ${words}`,
  no_cards: ({ words }: { readonly words: string }) =>
    `Replies are sent as one message when they are complete: ${words}`,
} as const

type GatewayValues = {
  readonly seconds: number
  /** Code that closed the previous connection. */
  readonly close_code: number | null
}

const describeClose = (code: number | null): string =>
  code === null ? '' : ` The previous connection closed with code ${code}.`

function formatAge(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

/** Code of a finding. */
export type FindingCode = keyof typeof FINDINGS

/** What a check found, as a code with its values and as an English text. */
export interface Finding {
  readonly finding: FindingCode
  readonly values: Readonly<Record<string, FindingValue>>
  readonly detail: string
}

/** Returns a finding with its English text. */
export function toFinding<C extends FindingCode>(finding: C, ...values: Parameters<(typeof FINDINGS)[C]>): Finding {
  const [given] = values as readonly [Finding['values']?] // the parameter of each function above
  const render = FINDINGS[finding] as (values: Finding['values']) => string // its values belong to this code
  return { finding, values: given ?? {}, detail: render(given ?? {}) }
}
