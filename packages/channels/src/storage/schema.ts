/**
 * The tables of channels. `bot` is `<account id>/<platform>/<bot id>`: another bot on the same channel starts afresh.
 * Times are integer milliseconds since the Unix epoch; `_json` columns hold JSON text; flags are 0 or 1.
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
}

/** Who holds the connection of a bot. `epoch` grows with every change of holder and fences the writes of the former. */
interface LeaseTable {
  /** `<platform>/<bot id>`: one connection per bot, whoever saved its credentials. */
  name: string
  /** Presence id of the holding process. */
  holder: string
  epoch: number
  expires_at_ms: number
  /** `ChannelReport` of the holder, so that every node can tell how the channel is; `null` right after a takeover. */
  report_json: string | null
}

/** What outlives a connection. */
interface BotTable {
  bot: string
  cursor: string | null
  /** `{from, to, why}[]`, newest first, at most 20. */
  gaps_json: string
  /** When the platform was last heard. */
  heard_at_ms: number | null
}

interface ContactTable {
  bot: string
  user_id: string
  name: string | null
  username: string | null
  /** The chat in which this person can be written to directly; `null` when only seen in groups. */
  direct_chat_id: string | null
  last_seen_at_ms: number
  /** Why the person cannot be written to; `null` when nothing speaks against it. */
  unreachable: string | null
}

interface ConversationTable {
  id: string
  bot: string
  chat_id: string
  thread_id: string
  kind: 'direct' | 'group'
  title: string | null
  /** Positions of its messages, in the order of acceptance, are 1, 2, 3 … */
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
  /** Not to be answered before this time (more may follow). */
  answer_after_ms: number
}

/** A turn that has shown something, has failed or is over; a turn that only runs is in memory. */
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
  /** The answer as Markdown: the assistant's side of the history. */
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
  /** The newest message of the chat when this was made: a floor for finding out whether it was shown. */
  after_message_id: string | null
  /** `live`: an unfinished answer is shown under `platform_message_id` and will be replaced. */
  state: 'queued' | 'live' | 'sending' | 'delivered' | 'refused' | 'unknown'
  /** 1 while nobody has dealt with a final refusal or an unknown outcome. */
  dead: number
  attempts: number
  next_attempt_at_ms: number
  /** What `FindSent.mark` said before the last attempt. */
  mark: string | null
  platform_message_id: string | null
  code: string | null
  reason: string | null
  received_at_ms: number | null
  created_at_ms: number
  updated_at_ms: number
}

/** Credentials of one channel, sealed (AES-256-GCM). Used on PostgreSQL; on one machine a 0600 file holds them. */
interface CredentialTable {
  account_id: string
  platform: string
  key_id: string
  sealed: string
  updated_at_ms: number
}
