import { expect, it } from 'vitest'
import { explainReason } from './reasons.ts'

const cases: readonly [why: string, ...Parameters<typeof explainReason>, ReturnType<typeof explainReason>][] = [
  [
    "a known code, with the platform's words as details",
    'content_rejected',
    'Bad Request: too long',
    'en',
    { sentence: 'The platform rejected the content.', words: 'Bad Request: too long' },
  ],
  ['a code without details', 'network', null, 'zh', { sentence: '无法连接平台。', words: null }],
  [
    'an ignored message, whose reason is a code',
    null,
    'not_allowed',
    'en',
    { sentence: "This person isn't on the allowed list.", words: null },
  ],
  [
    'a known message of the service',
    null,
    'The bot was blocked or removed.',
    'zh',
    { sentence: '对方已屏蔽或移除机器人。', words: null },
  ],
  [
    "an unknown code keeps the service's words",
    'moon_phase',
    'Not tonight',
    'zh',
    { sentence: 'Not tonight', words: null },
  ],
  ['a name of Object.prototype is not a code', null, 'constructor', 'en', { sentence: 'constructor', words: null }],
  ['no reason', null, null, 'en', null],
]
it.each(cases)('%s', (_why, code, words, language, reason) => {
  expect(explainReason(code, words, language)).toEqual(reason)
})
