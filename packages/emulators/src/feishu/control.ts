import type { PlatformControl, SayResult, SayFile, SayOptions } from '../kit/control.ts'
import { FEISHU_SWITCHES, type FeishuFault, resolveFault } from './faults.ts'
import type { LongConnection } from './long-connection.ts'
import { toOpenId } from './registration.ts'
import type { Services } from './routes.ts'
import { type FeishuChat, type FeishuState, type Mention, type StoredMessage, TENANT } from './state.ts'

/**
 * Creates the control operations.
 * @param url Address of the emulator: the `domain` of its credentials.
 * @param drop Closes every connection of the bot.
 */
export function createControl(parts: Services, url: string, drop: () => void): PlatformControl<FeishuFault> {
  const { state, tokens, connection, registration } = parts
  const { faults, chatStore, bot } = state
  const operations = chatStore.operations()
  /** Accepts chat ids, and ids of people and groups as passed to `say`. */
  const resolveChatId = (id: string): string => {
    if (state.chats.has(id)) return id
    const direct = state.privateChatId(toOpenId(id))
    return state.chats.has(direct) ? direct : `oc_${id}`
  }
  const withChatId = <Q extends { readonly chatId?: string }>(query: Q): Q =>
    query.chatId === undefined ? query : { ...query, chatId: resolveChatId(query.chatId) }
  return {
    ...operations,
    bot: async () => ({
      id: bot.appId,
      name: bot.name,
      connected: connection.count > 0,
      credentials: { app_id: bot.appId, app_secret: state.secret ?? '', domain: url },
      setup: registration.waiting,
    }),
    say: async (options) => say(state, connection, options),
    sent: (query = {}) => operations.sent(withChatId(query)),
    waitForSent: (query = {}) => operations.waitForSent(withChatId(query)),
    conversation: (options) => operations.conversation({ ...options, chatId: resolveChatId(options.chatId) }),
    injectFault: async (fault) => faults.inject(resolveFault(withChatId(fault))),
    faults: async () => faults.active,
    clearFaults: async ({ id } = {}) => faults.clear(id),
    switches: async () => FEISHU_SWITCHES,
    dropConnections: async () => drop(),
    revoke: async () => {
      state.secret = null
      tokens.expireAll()
      connection.endAll()
    },
    scan: async (act) => registration.scan(act),
  }
}

/**
 * Sends a person's message. Ids of people get the prefix `ou_` if they lack it. An image with a text is one `post`; any
 * other file with a text is two messages, the text first, and the result is the second.
 */
function say(state: FeishuState, connection: LongConnection, options: SayOptions): SayResult {
  const { from, group, file, text } = options
  if (text === undefined && file === undefined) throw new RangeError('A message needs a text or a file')
  const openId = toOpenId(from.id)
  const chat = group ? state.group(group.id, group.title) : state.privateChat(openId, from.name)
  const parent = options.replyTo === undefined ? null : (state.messages.get(options.replyTo) ?? null)
  if (options.replyTo !== undefined && parent?.chatId !== chat.chatId)
    throw new RangeError('There is no message with this id')
  const mentions = options.mention === true ? [botMention(state)] : []
  const put = (type: string, content: object, shownText: string, files: readonly StoredFileRef[]): StoredMessage => {
    const message = state.storeMessage({
      messageId: state.newId('om_'),
      chatId: chat.chatId,
      type,
      content: JSON.stringify(content),
      createdMs: state.clock.now(),
      updatedMs: state.clock.now(),
      sender: { id: openId, id_type: 'open_id', sender_type: from.isBot === true ? 'app' : 'user' },
      parentId: parent?.messageId ?? null,
      rootId: parent?.rootId ?? parent?.messageId ?? null,
      threadId: parent?.threadId ?? null,
      mentions,
      fileKeys: files.map(({ key }) => key),
      edits: 0,
      deleted: false,
    })
    state.chatStore.addPersonMessage({
      chatId: chat.chatId,
      messageId: message.messageId,
      name: from.name ?? openId,
      text: shownText,
      replyTo: message.parentId,
      files: files.map(({ name, bytes }) => ({ name, bytes })),
    })
    if (isPushed(state, chat, mentions))
      void connection.publish(message.messageId, chat.chatId, toEvent(state, chat, message))
    return message
  }
  const message = sendParts(state, put, mentions, text, file)
  return { chatId: chat.chatId, messageId: message.messageId }
}

interface StoredFileRef {
  readonly key: string
  readonly name: string
  readonly bytes: Uint8Array
}

type Put = (type: string, content: object, text: string, files: readonly StoredFileRef[]) => StoredMessage

function sendParts(
  state: FeishuState,
  put: Put,
  mentions: readonly Mention[],
  text: string | undefined,
  file: SayFile | undefined,
): StoredMessage {
  const textWithMentions = text === undefined ? null : `${mentions.map(({ key }) => `${key} `).join('')}${text}`
  const visibleText = `${mentions.map(({ name }) => `@${name} `).join('')}${text ?? ''}`
  if (file === undefined) return put('text', { text: textWithMentions }, visibleText, [])
  const stored = storeSentFile(state, file)
  if (textWithMentions !== null && file.kind === 'image') {
    const lines = [
      [...mentions.map(({ key, name }) => ({ tag: 'at', user_id: key, user_name: name })), { tag: 'text', text }],
      [{ tag: 'img', image_key: stored.key }],
    ]
    return put('post', { title: '', content: lines }, visibleText, [stored])
  }
  if (textWithMentions !== null) put('text', { text: textWithMentions }, visibleText, [])
  return put(...fileContent(state, file, stored), '', [stored])
}

function fileContent(
  state: FeishuState,
  file: SayFile,
  stored: StoredFileRef,
): readonly [type: string, content: object] {
  switch (file.kind) {
    case 'image':
      return ['image', { image_key: stored.key }]
    case 'file':
      return ['file', { file_key: stored.key, file_name: stored.name }]
    case 'voice':
      return ['audio', { file_key: stored.key, duration: 2_000 }]
    case 'video': {
      const image_key = state.storeFile(
        'img_v3_',
        'message',
        'cover.jpg',
        'image/jpeg',
        new Uint8Array([255, 216, 255]),
      )
      return ['media', { file_key: stored.key, image_key, file_name: stored.name, duration: 2_000 }]
    }
  }
}

const NAMES = { image: 'image.png', file: 'file.bin', voice: 'voice.opus', video: 'video.mp4' } as const
const TYPES = { image: 'message', file: 'stream', voice: 'opus', video: 'mp4' } as const

function storeSentFile(
  state: FeishuState,
  { kind, base64, name = NAMES[kind], mimeType = '' }: SayFile,
): StoredFileRef {
  const bytes = Buffer.from(base64, 'base64')
  const prefix = kind === 'image' ? 'img_v3_' : 'file_v3_'
  return { key: state.storeFile(prefix, TYPES[kind], name, mimeType, bytes), name, bytes }
}

const botMention = ({ bot }: FeishuState): Mention => ({ key: '@_user_1', openId: bot.openId, name: bot.name })

/** Whether the app's scopes cover a message. */
function isPushed(state: FeishuState, chat: FeishuChat, mentions: readonly Mention[]): boolean {
  if (chat.type === 'p2p') return state.isGranted('im:message.p2p_msg:readonly')
  if (state.isGranted('im:message.group_msg')) return true
  return mentions.length > 0 && state.isGranted('im:message.group_at_msg:readonly')
}

function toEvent(state: FeishuState, chat: FeishuChat, message: StoredMessage): unknown {
  const { sender, mentions, messageId, parentId, rootId, threadId, createdMs } = message
  const ids = (openId: string) => ({ open_id: openId, union_id: openId.replace(/^ou_/, 'on_'), user_id: null })
  return {
    schema: '2.0',
    header: {
      event_id: state.newId(''),
      event_type: 'im.message.receive_v1',
      create_time: String(state.clock.now()),
      token: '',
      app_id: state.bot.appId,
      tenant_key: TENANT,
    },
    event: {
      sender: { sender_id: ids(sender.id), sender_type: sender.sender_type, tenant_key: TENANT },
      message: {
        message_id: messageId,
        ...(rootId !== null && { root_id: rootId }),
        ...(parentId !== null && { parent_id: parentId }),
        ...(threadId !== null && { thread_id: threadId }),
        create_time: String(createdMs),
        update_time: String(createdMs),
        chat_id: chat.chatId,
        chat_type: chat.type,
        message_type: message.type,
        content: message.content,
        ...(mentions.length > 0 && {
          mentions: mentions.map(({ key, openId, name }) => ({
            key,
            id: { ...ids(openId), user_id: '' },
            name,
            tenant_key: TENANT,
          })),
        }),
      },
    },
  }
}
