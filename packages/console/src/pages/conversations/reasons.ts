import { ApiError } from '../../api/client.ts'
import { errorMessage } from '../../language/errors.ts'
import { type Language, textsIn } from '../../language/language.ts'
import { outcomeTexts } from './texts.ts'

type TextsByCode = Readonly<Record<string, Readonly<Record<Language, string>>>>

/** Why a platform rejected or Gatepost ignored a message, by code. */
const BY_CODE: TextsByCode = {
  credentials_rejected: { en: "The platform rejected the bot's credentials.", zh: '平台拒绝了机器人的凭证。' },
  configuration: { en: 'The bot lacks a permission on the platform.', zh: '机器人在平台上缺少权限。' },
  taken_over: { en: 'Another process is using the same bot.', zh: '另一个进程正在使用此机器人。' },
  rate_limited: { en: "The platform's rate limit was reached.", zh: '触发了平台的频率限制。' },
  recipient_unreachable: {
    en: "Couldn't reach this person. They may have blocked the bot or left.",
    zh: '无法联系到对方，可能已屏蔽机器人或已离开。',
  },
  no_context: { en: 'This person needs to message the bot first.', zh: '需要对方先给机器人发消息。' },
  quota_used_up: {
    en: 'The platform allows no more messages to this person for now.',
    zh: '平台暂时不允许继续给该用户发送消息。',
  },
  markup_rejected: { en: 'The platform rejected the formatting.', zh: '平台不支持该消息格式。' },
  reply_target_gone: { en: 'The original message no longer exists.', zh: '原消息已不存在。' },
  content_rejected: { en: 'The platform rejected the content.', zh: '平台拒绝了消息内容。' },
  chat_moved: { en: 'The chat has moved.', zh: '聊天已迁移。' },
  network: { en: "Couldn't reach the platform.", zh: '无法连接平台。' },
  groups_not_answered: { en: 'Replies in groups are disabled for this channel.', zh: '此渠道未开启群聊回复。' },
  not_allowed: { en: "This person isn't on the allowed list.", zh: '对方不在允许名单中。' },
}

/** Codes whose text is Gatepost's own, and adds nothing. */
const OWN_WORDS: ReadonlySet<string> = new Set(['no_context', 'quota_used_up'])

/** Why a person can't be messaged, by code. Other codes: as for messages. */
const UNREACHABLE: TextsByCode = {
  no_direct_chat: {
    en: 'Has only messaged the bot in groups.',
    zh: '只在群聊中发过消息，尚未单独联系机器人。',
  },
  bot_blocked: { en: 'Blocked or removed the bot.', zh: '对方已屏蔽或移除机器人。' },
  bot_left: { en: 'The bot is no longer in this group.', zh: '机器人已不在该群中。' },
  bot_muted: { en: "The bot isn't allowed to write in this group.", zh: '机器人在该群中没有发言权限。' },
}

/** Why a message failed. */
export interface Reason {
  /** In the page's language, or else the platform's own message. */
  readonly text: string
  /** The platform's own message, if `text` is the console's. */
  readonly words: string | null
}

/**
 * Explains why a message failed.
 * @param code  Unknown codes keep the service's words.
 * @param words From the service or the platform. The code itself for an ignored message.
 */
export function explainReason(code: string | null, words: string | null, language: Language): Reason | null {
  const known = find(BY_CODE, code) ?? find(BY_CODE, words)
  if (known === undefined) return words === null || words === '' ? null : { text: words, words: null }
  const adds = code !== null && words !== null && words !== '' && words !== code && !OWN_WORDS.has(code)
  return { text: known[language], words: adds ? words : null }
}

/**
 * Explains why a person can't be messaged.
 * @param code  `null`: `words` are the platform's.
 * @param words From the service or the platform.
 */
export function explainUnreachable(code: string | null, words: string | null, language: Language): Reason {
  const known = find(UNREACHABLE, code) ?? find(BY_CODE, code)
  if (known !== undefined) return { text: known[language], words: null }
  return explainReason('recipient_unreachable', words, language) ?? { text: '', words }
}

/** Formats a reason as one line. */
export const formatReason = ({ text, words }: Reason, language: Language): string =>
  words === null ? text : language === 'zh' ? `${text}（${words}）` : `${text} (${words})`

const find = (of: TextsByCode, name: string | null): Readonly<Record<Language, string>> | undefined =>
  name !== null && Object.hasOwn(of, name) ? of[name] : undefined

/** Returns why a message wasn't delivered, in the page's language. */
export function sendFailureMessage(error: unknown, language: Language): string {
  const texts = textsIn(outcomeTexts, language)
  if (!(error instanceof ApiError)) return errorMessage(error, language)
  if (error.code === 'delivery_unknown') return texts.maybe
  if (error.code === 'no_answer') return texts.noAnswer
  return error.code === 'delivery_refused' ? texts.refusedWith(error.message) : errorMessage(error, language)
}
