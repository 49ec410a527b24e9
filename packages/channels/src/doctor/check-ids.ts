/**
 * Ids of all checks in this package, sorted. Clients translate a check by its id. An id means the same on every platform
 * and is never reused for another check.
 */
export const CHECK_IDS = [
  'app_id_shape',
  'bot_usable',
  'cards',
  'cdn_reachable',
  'channel_running',
  'clock',
  'config_readable',
  'credentials_accepted',
  'credentials_form',
  'credentials_known',
  'credentials_present',
  'database',
  'deliveries',
  'gateway_alive',
  'group_privacy',
  'in_server',
  'last_frame',
  'last_heard',
  'last_message',
  'log_today',
  'message_content',
  'no_gaps',
  'no_webhook',
  'not_limited',
  'not_taken_over',
  'one_connection',
  'own_state',
  'pending_updates',
  'permissions',
  'platform_checks',
  'polls_answered',
  'scopes',
  'send_window',
  'sends_left',
  'server_reachable',
  'session_budget',
  'stream_alive',
  'stream_ready',
  'subscribed',
  'token_accepted',
] as const

/** Id of a check. */
export type CheckId = (typeof CHECK_IDS)[number]
