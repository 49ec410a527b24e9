import { describe, expect, it } from 'vitest'
import type { Language } from '../../language/language.ts'
import { explainGap } from './gap-reasons.ts'

const explain = (reason_code: string | null, values: Parameters<typeof explainGap>[0]['values'], language: Language) =>
  explainGap({ from: 1, to: 2, why: "the service's words", reason_code, values }, language)

describe('the reason of a gap', () => {
  const cases: readonly [code: string, values: Parameters<typeof explain>[1], en: string, zh: string][] = [
    [
      'offline_too_long',
      {},
      'The channel was offline for longer than the platform keeps messages.',
      '渠道离线的时间超过了平台保留消息的时长。',
    ],
    [
      'messages_not_kept',
      {},
      "WeCom doesn't keep messages for a bot that is offline.",
      '机器人离线期间，企业微信不保留消息。',
    ],
    [
      'session_not_resumed',
      { read: 3, unread: 0 },
      "Discord couldn't resume the session. Gatepost read the history of 3 chats. Messages in other chats may be missing.",
      'Discord 未能恢复会话。已读取 3 个聊天的历史记录，其他聊天的消息可能缺失。',
    ],
    [
      'session_not_resumed',
      { read: 1, unread: 2 },
      "Discord couldn't resume the session. Gatepost read the history of 1 chat. 2 chats couldn't be read completely. Messages in other chats may be missing.",
      'Discord 未能恢复会话。已读取 1 个聊天的历史记录，另有 2 个未能完整读取，其他聊天的消息可能缺失。',
    ],
    [
      'history_unread',
      { count: 1, redelivered: true, words: '' },
      "Couldn't read the history of 1 chat. Feishu redelivers the messages within 6 hours.",
      '未能读取 1 个聊天的历史记录。飞书会在 6 小时内重新推送消息。',
    ],
    [
      'new_users_missed',
      {},
      'Feishu keeps messages from new users for only 6 hours.',
      '飞书只会在 6 小时内重新推送新用户的消息。',
    ],
  ]
  it.each(cases)('%s with %o is in both languages', (code, values, en, zh) => {
    expect(explain(code, values, 'en')).toEqual({ text: en, words: null })
    expect(explain(code, values, 'zh')).toEqual({ text: zh, words: null })
  })

  it("adds the platform's own words", () => {
    const values = { count: 2, redelivered: false, words: 'no permission' }
    expect(explain('history_unread', values, 'zh')).toEqual({
      text: '未能读取 2 个聊天的历史记录。',
      words: 'no permission',
    })
  })

  it.each([null, 'of_a_later_version', 'constructor'])("keeps the service's words for the code %s", (code) => {
    expect(explain(code, {}, 'zh')).toEqual({ text: null, words: "the service's words" })
  })
})
