import {
  type ChatLine,
  CUT_THE_NETWORK,
  type EmulatedBot,
  type EventRecord,
  type FaultSwitch,
  type PlatformControl,
  type SayResult,
  type SayFile,
  type SayOptions,
  type SentQuery,
  type ShownFile,
  type ShownMessage,
} from '../kit/control.ts'
import type { ActiveFault, FaultBase } from '../kit/faults.ts'
import {
  linkStyle,
  markdownBlocks,
  plainBlocks,
  type ShownBlock,
  type ShownSpan,
  type SpanStyle,
} from '../kit/shown-blocks.ts'
import type { Bots } from './bots.ts'
import type { TelegramControl } from './control/control.ts'
import type { FileSpec, SayOptions as TelegramSay } from './control/say.ts'
import { listLiveDrafts, toShownMessage } from './control/shown.ts'
import type { FaultKind } from './faults.ts'
import type { BotState, StoredMessage } from './state.ts'
import type { UpdateRecord } from './updates.ts'
import type { Message, MessageEntity } from './wire.ts'

/** A fault of Telegram, in the format of the shared control operations. */
export type TelegramFault = FaultBase & FaultKind

/** Lifetime of a typing indicator, in ms. */
const TYPING_MS = 5_000
/** Largest file whose content is returned, in bytes. */
const SHOWN_BYTES = 64 * 1024

/** Creates the shared control operations, for the first bot. Ids that aren't numbers are mapped to numbers. */
export function createCommonControl(bots: Bots, control: TelegramControl): PlatformControl<TelegramFault> {
  const first = (): BotState => bots.get(undefined)
  const query = ({ chatId, ...rest }: SentQuery) => ({
    ...rest,
    ...(chatId !== undefined && { chatId: chatNumber(chatId) }),
  })
  return {
    bot: async () => describe(first()),
    say: async (options) => toSayResult(await control.say(toTelegramSay(first(), options))),
    sent: async (options = {}) => listSent(first(), query(options)),
    waitForSent: async (options = {}) => waitForSent(first(), query(options), options.count ?? 1, options.timeoutMs),
    conversation: async ({ chatId, limit = 1_000, details = false }) =>
      listLines(first(), chatNumber(chatId), details).slice(-limit),
    requests: async (options = {}) =>
      (await control.requests(options)).map(({ httpMethod, ...request }) => ({
        ...request,
        target: `${httpMethod} /bot<token>/${request.method}`,
      })),
    typing: async () => listTyping(first()),
    events: async () => listEvents(first()),
    injectFault: ({ chatId, ...fault }) =>
      control.injectFault({ ...fault, ...(chatId !== undefined && { chatId: chatNumber(chatId) }) }),
    faults: async () => (await control.faults()).map(({ spec, ...rest }) => ({ ...rest, spec: toCommonSpec(spec) })),
    clearFaults: (options) => control.clearFaults(options),
    switches: async () => SWITCHES,
    dropConnections: () => control.dropConnections(),
    revoke: async () => void (await control.revokeToken({})),
    scan: async () => {
      throw new RangeError('Telegram has no setup codes')
    },
  }
}

const SEND = { method: 'sendMessage' } as const

const SWITCHES: readonly FaultSwitch<TelegramFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Next send: wait 5 s',
    code: 'slow_down',
    hint: 'Returns 429 with a retry time.',
    zh: { label: '下一次发送：等待 5 秒', hint: '返回 429 和重试时间。' },
    fault: { kind: 'rate_limited', retryAfter: 5, ...SEND },
  },
  {
    label: 'Lose the next send',
    code: 'send_lost',
    hint: 'The connection closes before the message is shown.',
    zh: { label: '丢失下一次发送', hint: '连接在消息显示之前关闭。' },
    fault: { kind: 'drop_before', ...SEND },
  },
  {
    label: 'Lose the confirmation',
    code: 'answer_lost',
    hint: 'The next message is shown, but the bot gets no response.',
    zh: { label: '丢失发送结果', hint: '下一条消息已显示，但机器人收不到响应。' },
    fault: { kind: 'drop_after', ...SEND },
  },
  {
    label: 'Next send: server error',
    hint: 'Returns 500.',
    zh: { label: '下一次发送：服务器错误', hint: '返回 500。' },
    fault: { kind: 'server_error', status: 500, ...SEND },
  },
  {
    label: 'Next send: reject formatting',
    hint: 'The next text returns 400.',
    zh: { label: '下一次发送：拒绝格式', hint: '下一条文本返回 400。' },
    fault: { kind: 'cannot_parse', ...SEND },
  },
]

const describe = ({ user, token, updates }: BotState): EmulatedBot => ({
  id: String(user.id),
  name: user.first_name,
  connected: updates.isHeld,
  credentials: { bot_token: token },
})

/** Returns the numeric id of a person: the number itself, or a hash of any other text. */
function personNumber(id: string): number {
  if (/^\d{1,15}$/.test(id)) return Number(id)
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(id)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return 10_000_000 + hash
}

const groupNumber = (id: string): number =>
  /^-\d{1,15}$/.test(id) ? Number(id) : -1_000_000_000_000 - personNumber(id)

const chatNumber = (id: string): number => (id.startsWith('-') ? groupNumber(id) : personNumber(id))

function toTelegramSay(bot: BotState, { from, group, text, mention, replyTo, file }: SayOptions): TelegramSay {
  const content = mention === true ? `@${bot.user.username ?? ''} ${text ?? ''}` : text
  return {
    from: { id: personNumber(from.id), first_name: from.name ?? from.id, is_bot: from.isBot ?? false },
    ...(group && { chat: { id: groupNumber(group.id), title: group.title ?? 'Group' } }),
    ...(replyTo !== undefined && { replyTo: Number(replyTo) }),
    ...(file ? { [FILE_KINDS[file.kind]]: fileSpec(file), ...(content !== undefined && { caption: content }) } : {}),
    ...(!file && content !== undefined && { text: content }),
  }
}

const FILE_KINDS = { image: 'photo', file: 'document', voice: 'voice', video: 'video' } as const

const fileSpec = ({ base64, name, mimeType, announcedBytes }: SayFile): FileSpec => ({
  base64,
  ...(name !== undefined && { name }),
  ...(mimeType !== undefined && { mimeType }),
  ...(announcedBytes !== undefined && { size: announcedBytes }),
})

const toSayResult = ({ chatId, messageId }: { readonly chatId: number; readonly messageId: number }): SayResult => ({
  chatId: String(chatId),
  messageId: String(messageId),
})

interface SentSelector {
  readonly chatId?: number
  readonly afterSequence?: number
  readonly limit?: number
}

function listSent(bot: BotState, { chatId, afterSequence = 0, limit }: SentSelector): readonly ShownMessage[] {
  const stored = bot.sent
    .after(afterSequence)
    .filter(({ deleted, message }) => !deleted && (chatId === undefined || message.chat.id === chatId))
  return stored.slice(0, limit ?? stored.length).map((one) => shown(bot, one))
}

async function waitForSent(
  bot: BotState,
  wanted: SentSelector,
  count: number,
  timeoutMs = 10_000,
): Promise<readonly ShownMessage[]> {
  const done = new AbortController()
  const check = (): void => {
    if (listSent(bot, wanted).length >= count) done.abort()
  }
  bot.sentWatchers.add(check)
  check()
  await bot.clock.sleep(timeoutMs, done.signal)
  bot.sentWatchers.delete(check)
  return listSent(bot, wanted)
}

function shown(bot: BotState, stored: StoredMessage): ShownMessage {
  const { sequence, atMs, message, versions } = stored
  const { text, files } = toShownMessage(bot, stored)
  return {
    sequence,
    atMs,
    text,
    chatId: String(message.chat.id),
    messageId: String(message.message_id),
    edits: versions.length,
    unfinished: false,
    replyTo: message.reply_to_message ? String(message.reply_to_message.message_id) : null,
    files: files.map(({ fileId, name, size }) => ({ name, size, base64: readContent(bot, fileId) })),
  }
}

function readContent(bot: BotState, fileId: string): ShownFile['base64'] {
  const bytes = bot.files.get(fileId)?.bytes
  return !bytes || bytes.length > SHOWN_BYTES ? '' : Buffer.from(bytes).toString('base64')
}

function listLines(bot: BotState, chatId: number, details: boolean): readonly ChatLine[] {
  const chat = bot.chats.get(chatId)
  if (!chat) return []
  const lines = [...chat.messages.values()].filter(({ deleted }) => !deleted).map((one) => toLine(bot, one, details))
  const drafts = listLiveDrafts(bot, chat).map(({ draftId, text, entities, rich }) => ({
    messageId: `draft ${draftId}`,
    by: 'bot' as const,
    name: bot.user.first_name,
    atMs: bot.clock.now(),
    text,
    unfinished: true,
    edited: false,
    files: [],
    ...(details && { blocks: telegramBlocks(text, entities, rich) }),
  }))
  return [...lines, ...drafts]
}

function toLine(bot: BotState, stored: StoredMessage, details: boolean): ChatLine {
  const { message, atMs, versions } = stored
  const { text, files } = toShownMessage(bot, stored)
  return {
    messageId: String(message.message_id),
    by: message.from?.id === bot.user.id ? 'bot' : 'person',
    name: message.from?.first_name ?? '',
    atMs,
    text,
    unfinished: false,
    edited: versions.length > 0,
    files: files.map(({ name }) => name),
    ...(details && {
      blocks: telegramBlocks(text, message.entities ?? message.caption_entities, message.rich_message),
    }),
  }
}

/** Returns the newest typing indicator of each chat, until it expires or a message arrives. */
function listTyping(bot: BotState): readonly { readonly chatId: string; readonly untilMs: number }[] {
  const until = new Map<number, number>()
  for (const { chatId, atMs, action } of bot.actions.after(0))
    if (action === 'typing') until.set(chatId, atMs + TYPING_MS)
  for (const { message, atMs } of bot.sent.after(0)) {
    if (atMs + TYPING_MS >= (until.get(message.chat.id) ?? Infinity)) until.delete(message.chat.id)
  }
  const signs = [...until].map(([chatId, untilMs]) => ({ chatId: String(chatId), untilMs }))
  return signs.filter(({ untilMs }) => untilMs > bot.clock.now())
}

function listEvents(bot: BotState): readonly EventRecord[] {
  const records: readonly UpdateRecord[] = [...bot.updates.confirmed.after(0), ...bot.updates.pending]
  return records.flatMap(({ update, deliveries, confirmedAtMs }) =>
    update.message && deliveries > 0
      ? [{ messageId: String(update.message.message_id), deliveries, confirmedAtMs }]
      : [],
  )
}

type Spec = Awaited<ReturnType<TelegramControl['faults']>>[number]['spec']

function toCommonSpec({ chatId, ...spec }: Spec): ActiveFault<TelegramFault>['spec'] {
  return { ...spec, ...(chatId !== undefined && { chatId: String(chatId) }) }
}

/** Returns the blocks of a message with entities, whose offsets are UTF-16 units. */
export function telegramBlocks(
  text: string,
  entities: readonly MessageEntity[] = [],
  rich?: Message['rich_message'],
): readonly ShownBlock[] {
  if (rich?.markdown !== undefined) return markdownBlocks(rich.markdown)
  const blocks: ShownBlock[] = []
  let at = 0
  for (const entity of entities.filter(({ type }) => BLOCKS.has(type)).toSorted((a, b) => a.offset - b.offset)) {
    const end = entity.offset + entity.length
    if (entity.offset < at) continue
    blocks.push(...toParagraph(text, entities, at, entity.offset), toBlock(text, entities, entity))
    at = end
  }
  blocks.push(...toParagraph(text, entities, at, text.length))
  return blocks.length === 0 ? plainBlocks(text) : blocks
}

const BLOCKS = new Set(['pre', 'blockquote', 'expandable_blockquote'])

function toBlock(text: string, entities: readonly MessageEntity[], entity: MessageEntity): ShownBlock {
  const { type, offset, length, language } = entity
  if (type !== 'pre') return { type: 'quote', spans: toSpans(text, entities, offset, offset + length) }
  const code = { text: text.slice(offset, offset + length) }
  return { type: 'code', ...(language !== undefined && { language }), spans: [code] }
}

/** Returns the text between two blocks, without the line breaks around it. */
function toParagraph(
  text: string,
  entities: readonly MessageEntity[],
  from: number,
  to: number,
): readonly ShownBlock[] {
  const start = from + (/^\n+/.exec(text.slice(from, to))?.[0].length ?? 0)
  const end = to - (/\n+$/.exec(text.slice(start, to))?.[0].length ?? 0)
  return end <= start ? [] : [{ type: 'paragraph', spans: toSpans(text, entities, start, end) }]
}

const STYLES: Readonly<Record<string, SpanStyle>> = {
  bold: { bold: true },
  italic: { italic: true },
  strikethrough: { strike: true },
  code: { code: true },
}

/** Splits a text wherever its style changes. */
function toSpans(text: string, entities: readonly MessageEntity[], from: number, to: number): readonly ShownSpan[] {
  const inside = entities.filter(
    ({ type, offset, length }) => !BLOCKS.has(type) && offset < to && offset + length > from,
  )
  const edges = inside.flatMap(({ offset, length }) => [offset, offset + length])
  const cuts = [...new Set([from, ...edges.filter((edge) => edge > from && edge < to), to])].toSorted((a, b) => a - b)
  return cuts.slice(0, -1).map((cut, index) => {
    const over = inside.filter(({ offset, length }) => offset <= cut && cut < offset + length)
    const look = over.reduce<SpanStyle>((style, entity) => ({ ...style, ...toStyle(text, entity) }), {})
    return { text: text.slice(cut, cuts[index + 1]), ...look }
  })
}

function toStyle(text: string, { type, offset, length, url }: MessageEntity): SpanStyle {
  if (type === 'text_link' || type === 'url') return linkStyle(url ?? text.slice(offset, offset + length))
  return STYLES[type] ?? {}
}
