import { expect, it } from 'vitest'
import { explainReason } from './reasons.ts'

const cases: readonly [why: string, ...Parameters<typeof explainReason>, ReturnType<typeof explainReason>][] = [
  [
    'a known code is ours, with the words of the platform',
    'content_rejected',
    'Bad Request: too long',
    'en',
    { sentence: 'The platform rejected the content.', words: 'Bad Request: too long' },
  ],
  ['a code alone stands alone', 'network', null, 'zh', { sentence: '无法连接平台。', words: null }],
  [
    'a message that was ignored has its code as the reason',
    null,
    'not_allowed',
    'en',
    { sentence: 'This person isn’t on the allowed list.', words: null },
  ],
  [
    'a known sentence is translated',
    null,
    'The bot was blocked or removed.',
    'zh',
    { sentence: '对方已屏蔽或移除机器人。', words: null },
  ],
  [
    'a code of a newer service is told in its words',
    'moon_phase',
    'Not tonight',
    'zh',
    { sentence: 'Not tonight', words: null },
  ],
  ['a name of every object is no code', null, 'constructor', 'en', { sentence: 'constructor', words: null }],
  ['nothing is said about nothing', null, null, 'en', null],
]
it.each(cases)('%s', (_why, code, words, language, reason) => {
  expect(explainReason(code, words, language)).toEqual(reason)
})
