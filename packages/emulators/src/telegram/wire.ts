/** A user or bot. The types of this file are objects of the Bot API; times are seconds since the epoch. */
export interface User {
  readonly id: number
  readonly is_bot: boolean
  readonly first_name: string
  readonly last_name?: string
  readonly username?: string
  readonly language_code?: string
}

/** Types of chats. */
export type ChatType = 'private' | 'group' | 'supergroup' | 'channel'

/** A chat. */
export interface Chat {
  readonly id: number
  readonly type: ChatType
  readonly title?: string
  readonly username?: string
  readonly first_name?: string
  readonly last_name?: string
  readonly is_forum?: true
}

/** A part of a text with formatting; `offset` and `length` count UTF-16 units. */
export interface MessageEntity {
  readonly type: string
  readonly offset: number
  readonly length: number
  readonly url?: string
  readonly user?: User
  readonly language?: string
  readonly custom_emoji_id?: string
}

/** A text with its formatting. */
export interface FormattedText {
  readonly text: string
  readonly entities: readonly MessageEntity[]
}

/** Common fields of files. */
export interface FileRef {
  readonly file_id: string
  readonly file_unique_id: string
  readonly file_size: number
}

/** One size of a photo. */
export interface PhotoSize extends FileRef {
  readonly width: number
  readonly height: number
}

/** A file with its name and type. */
export interface DocumentRef extends FileRef {
  readonly file_name?: string
  readonly mime_type?: string
}

/** A file with a duration. */
export interface TimedRef extends DocumentRef {
  readonly duration: number
}

/** Source of a rich message. */
export interface RichMessage {
  readonly markdown?: string
  readonly html?: string
  readonly blocks?: readonly unknown[]
}

/** A message. */
export interface Message {
  readonly message_id: number
  readonly date: number
  readonly chat: Chat
  readonly from?: User
  readonly edit_date?: number
  readonly text?: string
  readonly entities?: readonly MessageEntity[]
  readonly caption?: string
  readonly caption_entities?: readonly MessageEntity[]
  readonly rich_message?: RichMessage
  readonly reply_to_message?: Message
  readonly quote?: { readonly text: string; readonly position: number }
  readonly message_thread_id?: number
  readonly is_topic_message?: true
  readonly media_group_id?: string
  readonly photo?: readonly PhotoSize[]
  readonly document?: DocumentRef
  readonly voice?: TimedRef
  readonly audio?: TimedRef
  readonly video?: TimedRef & { readonly width: number; readonly height: number }
  readonly migrate_to_chat_id?: number
  readonly migrate_from_chat_id?: number
  readonly new_chat_members?: readonly User[]
  readonly reply_markup?: unknown
}

/** A change of the bot's membership. */
export interface ChatMemberUpdated {
  readonly chat: Chat
  readonly from: User
  readonly date: number
  readonly old_chat_member: { readonly user: User; readonly status: string }
  readonly new_chat_member: { readonly user: User; readonly status: string }
}

/** An update. */
export interface Update {
  readonly update_id: number
  readonly message?: Message
  readonly edited_message?: Message
  readonly my_chat_member?: ChatMemberUpdated
}

/** Kinds of updates. */
export type UpdateType = Exclude<keyof Update, 'update_id'>
