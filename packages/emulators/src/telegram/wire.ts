/** Objects of the Bot API as they go over the wire, as far as the emulator uses them. Times are seconds since the epoch. */
export interface User {
  readonly id: number
  readonly is_bot: boolean
  readonly first_name: string
  readonly last_name?: string
  readonly username?: string
  readonly language_code?: string
}

export type ChatType = 'private' | 'group' | 'supergroup' | 'channel'

export interface Chat {
  readonly id: number
  readonly type: ChatType
  readonly title?: string
  readonly username?: string
  readonly first_name?: string
  readonly last_name?: string
  readonly is_forum?: true
}

/** `offset` and `length` count UTF-16 units. */
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

export interface FileRef {
  readonly file_id: string
  readonly file_unique_id: string
  readonly file_size: number
}

export interface PhotoSize extends FileRef {
  readonly width: number
  readonly height: number
}

export interface DocumentRef extends FileRef {
  readonly file_name?: string
  readonly mime_type?: string
}

export interface TimedRef extends DocumentRef {
  readonly duration: number
}

/** What `sendRichMessage` was given, unparsed. */
export interface RichMessage {
  readonly markdown?: string
  readonly html?: string
  readonly blocks?: readonly unknown[]
}

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

export interface ChatMemberUpdated {
  readonly chat: Chat
  readonly from: User
  readonly date: number
  readonly old_chat_member: { readonly user: User; readonly status: string }
  readonly new_chat_member: { readonly user: User; readonly status: string }
}

export interface Update {
  readonly update_id: number
  readonly message?: Message
  readonly edited_message?: Message
  readonly my_chat_member?: ChatMemberUpdated
}

export type UpdateType = Exclude<keyof Update, 'update_id'>
