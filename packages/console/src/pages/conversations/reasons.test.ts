import { expect, it } from 'vitest'
import { explainReason, explainUnreachable } from './reasons.ts'

const cases: readonly [why: string, ...Parameters<typeof explainReason>, ReturnType<typeof explainReason>][] = [
  [
    "a known code, with the platform's words as details",
    'content_rejected',
    'Bad Request: too long',
    'en',
    { text: 'The platform rejected the content.', words: 'Bad Request: too long' },
  ],
  ['a code without details', 'network', null, 'zh', { text: '无法连接平台。', words: null }],
  [
    'an ignored message, whose reason is a code',
    null,
    'not_allowed',
    'en',
    { text: "This person isn't on the allowed list.", words: null },
  ],
  [
    "a code whose text is Gatepost's own",
    'no_context',
    'The recipient must message the bot first. Then try again.',
    'zh',
    { text: '需要对方先给机器人发消息。', words: null },
  ],
  [
    "an unknown code keeps the service's words",
    'moon_phase',
    'Not tonight',
    'zh',
    { text: 'Not tonight', words: null },
  ],
  ['a name of Object.prototype is not a code', null, 'constructor', 'en', { text: 'constructor', words: null }],
  ['no reason', null, null, 'en', null],
]
it.each(cases)('%s', (_why, code, words, language, reason) => {
  expect(explainReason(code, words, language)).toEqual(reason)
})

it.each([
  ['bot_blocked', 'The bot was blocked or removed.', { text: '对方已屏蔽或移除机器人。', words: null }],
  ['quota_used_up', 'No more.', { text: '平台暂时不允许继续给该用户发送消息。', words: null }],
  [null, 'Forbidden', { text: '无法联系到对方，可能已屏蔽机器人或已离开。', words: 'Forbidden' }],
] as const)('explains why a person is unreachable: %s', (code, words, reason) => {
  expect(explainUnreachable(code, words, 'zh')).toEqual(reason)
})
