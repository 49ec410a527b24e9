/**
 * The tables of channels. `bot` is `<account id>/<platform>/<bot id>`: another bot on the same channel has its own data.
 * Times are integer milliseconds since the Unix epoch; `_json` columns contain JSON text; flags are 0 or 1.
 */
export interface ChannelTables {
  lease: LeaseTable
  bot: BotTable
  contact: ContactTable
  conversation: ConversationTable
  message: MessageTable
  turn: TurnTable
  delivery: DeliveryTable
  credential: CredentialTable
  setup: SetupTable
}

/** A guided setup in progress whose code outlives the process. */
interface SetupTable {
  id: string
  account_id: string
  platform: string
  /** Presence ID of the process that follows it. */
  holder: string
  key_id: string
  /** Sealed `StoredSetup`, base64url. */
  sealed: string
  expires_at_ms: number
}

/** Which process holds a bot's connection. `epoch` grows with every takeover and fences writes of the former holder. */
interface LeaseTable {
  /** `<platform>/<bot id>`: one connection per bot, whichever account saved its credentials. */
  name: string
  /** Presence id of the holding process. */
  holder: string
  epoch: number
  expires_at_ms: number
  /** `ChannelReport` of the holder, read by the other nodes; `null` right after a takeover. */
  report_json: string | null
}

/** Per-bot data that outlives a connection. */
interface BotTable {
  bot: string
  cursor: string | null
  /** `{from, to, why}[]`, newest first, at most 20. */
  gaps_json: string
  /** Time of the last heartbeat. */
  heard_at_ms: number | null
}

interface ContactTable {
  bot: string
  user_id: string
  name: string | null
  username: string | null
  /** The direct chat with this user; `null` when only seen in groups. */
  direct_chat_id: string | null
  last_seen_at_ms: number
  /** Why the user is unreachable: a code of `UNREACHABLE_REASONS`, or the platform's own text; `null`: reachable. */
  unreachable: string | null
}

interface ConversationTable {
  id: string
  bot: string
  chat_id: string
  thread_id: string
  kind: 'direct' | 'group'
  title: string | null
  /** Position of its newest message; positions are 1, 2, 3 … in order of arrival. */
  last_position: number
  /** The newest platform message id seen in this chat, either direction. */
  last_message_id: string | null
  updated_at_ms: number
}

interface MessageTable {
  id: string
  bot: string
  dedupe_key: string
  conversation_id: string
  position: number
  platform_message_id: string
  user_id: string
  user_name: string | null
  text: string
  quoted: string | null
  files_json: string
  state: 'received' | 'answered' | 'failed' | 'ignored'
  reason: string | null
  turn_id: string | null
  sent_at_ms: number
  received_at_ms: number
  /** Earliest time to answer it (more may follow). */
  answer_after_ms: number
  /** Sealed `InboundMessage.replyContext`; `null` once the reply has an outcome. */
  reply_context: string | null
}

/** A turn that has shown something, failed or ended; a turn that is just running is kept in memory. */
interface TurnTable {
  id: string
  conversation_id: string
  bot: string
  first_position: number
  last_position: number
  state: 'open' | 'answered' | 'failed'
  attempts: number
  next_attempt_at_ms: number
  error: string | null
  /** The reply as Markdown: the assistant's side of the history. */
  answer: string
  updated_at_ms: number
}

interface DeliveryTable {
  /** `<turn or send id>.<part>` */
  id: string
  bot: string
  conversation_id: string | null
  turn_id: string | null
  kind: 'reply' | 'send' | 'notice'
  chat_id: string
  chat_kind: 'direct' | 'group'
  thread_id: string
  user_id: string | null
  /** Deliveries of one chat are sent by rising `sequence`, then `part`. */
  sequence: number
  part: number
  content_json: string
  reply_to: string | null
  /** The newest message of the chat when this was created: the starting point for finding out whether it was delivered. */
  after_message_id: string | null
  /** `live`: an unfinished reply is shown as `platform_message_id` and will be replaced. */
  state: 'queued' | 'live' | 'sending' | 'delivered' | 'refused' | 'unknown'
  /** 1 until a failed delivery is retried or dismissed. */
  dead: number
  attempts: number
  next_attempt_at_ms: number
  /** What `FindSent.mark` returned before the last attempt. */
  mark: string | null
  platform_message_id: string | null
  code: string | null
  reason: string | null
  received_at_ms: number | null
  created_at_ms: number
  updated_at_ms: number
}

/** Sealed credentials of one channel (AES-256-GCM). Used on PostgreSQL; with SQLite a 0600 file stores them. */
interface CredentialTable {
  account_id: string
  platform: string
  key_id: string
  sealed: string
  updated_at_ms: number
}
