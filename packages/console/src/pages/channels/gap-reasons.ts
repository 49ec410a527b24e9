import { type Language, defineTexts, textsIn } from '../../language/language.ts'
import type { Channel } from './status.ts'

type Gap = Channel['gaps'][number]

/** Reasons why messages may have been lost, by code. */
const reasonTexts = defineTexts({
  en: {
    offline_too_long: (_gap: Gap) => 'The channel was offline for longer than the platform keeps messages.',
    messages_not_kept: (_gap: Gap) => "WeCom doesn't keep messages for a bot that is offline.",
    session_not_resumed: (gap: Gap) => {
      const rest = count(gap, 'unread') === 0 ? '' : ` ${chats(count(gap, 'unread'))} couldn't be read completely.`
      return `Discord couldn't resume the session. Gatepost read the history of ${chats(count(gap, 'read'))}.${rest} Messages in other chats may be missing.`
    },
    history_unread: (gap: Gap) =>
      `Couldn't read the history of ${chats(count(gap, 'count'))}.${gap.values['redelivered'] === true ? ' Feishu redelivers the messages within 6 hours.' : ''}`,
    new_users_missed: (_gap: Gap) => 'Feishu keeps messages from new users for only 6 hours.',
  },
  zh: {
    offline_too_long: () => '渠道离线的时间超过了平台保留消息的时长。',
    messages_not_kept: () => '机器人离线期间，企业微信不保留消息。',
    session_not_resumed: (gap) => {
      const rest = count(gap, 'unread') === 0 ? '' : `，另有 ${count(gap, 'unread')} 个未能完整读取`
      return `Discord 未能恢复会话。已读取 ${count(gap, 'read')} 个聊天的历史记录${rest}，其他聊天的消息可能缺失。`
    },
    history_unread: (gap) =>
      `未能读取 ${count(gap, 'count')} 个聊天的历史记录。${gap.values['redelivered'] === true ? '飞书会在 6 小时内重新推送消息。' : ''}`,
    new_users_missed: () => '飞书只会在 6 小时内重新推送新用户的消息。',
  },
})

const chats = (total: number): string => `${total} ${total === 1 ? 'chat' : 'chats'}`
const count = ({ values }: Gap, name: string): number => Number(values[name] ?? 0)

/** The reason for a gap. */
interface GapReason {
  /** In the page's language; `null` if the console doesn't know the reason. */
  readonly text: string | null
  /** Details from the service or the platform, if any. */
  readonly words: string | null
}

/** Explains a gap. Without a known code, only the service's own message is returned. */
export function explainGap(gap: Gap, language: Language): GapReason {
  const texts = new Map<string | null, (gap: Gap) => string>(Object.entries(textsIn(reasonTexts, language)))
  const explain = texts.get(gap.reason_code)
  if (explain === undefined) return { text: null, words: gap.why }
  const { words } = gap.values
  return { text: explain(gap), words: typeof words === 'string' && words !== '' ? words : null }
}
