import { expect, it } from 'vitest'
import { createAssistant } from './create-assistant.ts'
import { resolveAssistantSettings } from './settings.ts'
import { file, keptLog, message, collectText, createTurn } from './testing.ts'
import { manualClock } from '../testing/clock.ts'
import type { AssistantTurn } from './assistant.ts'

const cases: readonly [why: string, turn: AssistantTurn, answer: string][] = [
  ['quotes the text', createTurn([message('hello\nthere')]), 'You said:\n\n> hello\n> there'],
  [
    'quotes what came together, not what was answered',
    createTurn([message('old'), message('a', { role: 'assistant' }), message('b'), message('c')]),
    'You said:\n\n> b\n\n> c',
  ],
  [
    'names files',
    createTurn([
      message('', { files: [file('a`b.txt'), file('big.bin', { sizeBytes: 3_400_000, problem: 'too large' })] }),
    ]),
    'I received files:\n\n- `a b.txt` (file, text/plain, 5 bytes)\n- `big.bin` (file, text/plain, 3.4 MB; not available: too large)',
  ],
  [
    'quotes a text with its file',
    createTurn([message('see', { files: [file('a', { sizeBytes: 12_345 })] })]),
    'You said:\n\n> see\n\nI received a file:\n\n- `a` (file, text/plain, 12 KB)',
  ],
  ['answers even nothing', createTurn([message(' ')]), 'I received an empty message.'],
]
it.each(cases)('%s', async (_why, turn, answer) => {
  const clock = manualClock(0)
  const assistant = createAssistant(resolveAssistantSettings(), { fetch, clock, log: keptLog(), environment: {} })
  expect(await collectText(assistant.reply(turn, new AbortController().signal))).toBe(answer)
  expect(clock.sleeping).toBe(0)
})
