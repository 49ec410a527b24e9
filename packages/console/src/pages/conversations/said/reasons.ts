import type { Language } from '../../../language/language.ts'

type Sentences = Readonly<Record<string, Readonly<Record<Language, string>>>>

/** Why a platform refused, and why a message was ignored, by the codes of the service. */
const BY_CODE: Sentences = {
  credentials_rejected: {
    en: 'The platform does not accept the bot’s credentials any more.',
    zh: '平台不再接受机器人的凭据。',
  },
  configuration: { en: 'The bot lacks a permission on the platform.', zh: '机器人在平台上缺少权限。' },
  taken_over: { en: 'Another process uses the same bot.', zh: '另一个进程正在使用同一个机器人。' },
  rate_limited: { en: 'The platform asked to send more slowly.', zh: '平台要求放慢发送速度。' },
  recipient_unreachable: {
    en: 'This person cannot be reached: they may have blocked the bot, or left.',
    zh: '无法联系到对方，可能已屏蔽机器人或已离开。',
  },
  no_context: { en: 'The person has to write to the bot first.', zh: '对方需要先给机器人发消息。' },
  quota_used_up: {
    en: 'The platform lets no more messages through to this person for now.',
    zh: '平台目前不允许再给此人发送消息。',
  },
  markup_rejected: { en: 'The platform did not understand the formatting.', zh: '平台无法识别消息格式。' },
  reply_target_gone: { en: 'The message that was answered is gone.', zh: '被回复的消息已不存在。' },
  content_rejected: { en: 'The platform did not accept the content.', zh: '平台不接受此内容。' },
  chat_moved: { en: 'The chat has moved.', zh: '聊天已迁移。' },
  network: { en: 'The platform could not be reached.', zh: '无法连接到平台。' },
  groups_not_answered: { en: 'Groups are not answered on this channel.', zh: '此渠道不在群聊中回复。' },
  not_allowed: { en: 'This person is not among the allowed users.', zh: '此人不在允许的用户中。' },
}

/** Sentences of the service about people who cannot be written to. */
const BY_SENTENCE: Sentences = {
  "hasn't messaged the bot directly": {
    en: 'Has written in groups only, not to the bot directly.',
    zh: '只在群里发过言，还没有直接给机器人发消息。',
  },
  'The recipient must message the bot first. Then try again.': {
    en: 'Has to write to the bot first.',
    zh: '对方需要先给机器人发消息。',
  },
  'Weixin allows no more messages to this person until they write again.': {
    en: 'Weixin lets nothing more through until they write again.',
    zh: '在对方再次发消息之前，微信不允许继续发送。',
  },
  'DingTalk is temporarily limiting messages to this person': {
    en: 'DingTalk lets no more messages through to them for the moment.',
    zh: '钉钉暂时不允许再给此人发送消息。',
  },
  'This person is outside the organization: the bot can only reply for a while after they write': {
    en: 'Is outside of the organisation: the bot can write only for a while after they did.',
    zh: '此人不属于该组织，机器人只能在对方发消息后的一段时间内回复。',
  },
  'The bot was blocked or removed.': { en: 'Has blocked or removed the bot.', zh: '对方已屏蔽或移除机器人。' },
  'The bot is no longer in this group.': {
    en: 'The bot is no longer in this group.',
    zh: '机器人已不在此群中。',
  },
  'The bot has no permission to write in this group.': {
    en: 'The bot has no permission to write in this group.',
    zh: '机器人不能在此群中发言。',
  },
}

/** Why something did not go through. */
export interface Reason {
  /** In the language of the page; else the words of the platform. */
  readonly sentence: string
  /** What the platform said, where `sentence` is ours. */
  readonly words: string | null
}

/** @param code Stable; one that this page does not know yet is told in the words of the service. */
export function reasonOf(code: string | null, words: string | null, language: Language): Reason | null {
  const known = find(BY_CODE, code) ?? find(BY_CODE, words) ?? find(BY_SENTENCE, words)
  if (known === undefined) return words === null || words === '' ? null : { sentence: words, words: null }
  const adds =
    code !== null && words !== null && words !== '' && words !== code && find(BY_SENTENCE, words) === undefined
  return { sentence: known[language], words: adds ? words : null }
}

/** Why a person cannot be written to. @param words Of the service or the platform. */
export function unreachableOf(words: string | null, language: Language): Reason {
  const isKnown = find(BY_SENTENCE, words) !== undefined
  const reason = reasonOf(isKnown ? null : 'recipient_unreachable', words, language)
  return reason ?? { sentence: '', words }
}

/** Both in one line. */
export const inOneLine = ({ sentence, words }: Reason, language: Language): string =>
  words === null ? sentence : language === 'zh' ? `${sentence}（${words}）` : `${sentence} (${words})`

const find = (of: Sentences, name: string | null): Readonly<Record<Language, string>> | undefined =>
  name !== null && Object.hasOwn(of, name) ? of[name] : undefined
