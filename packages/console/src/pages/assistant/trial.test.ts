import { expect, it } from 'vitest'
import { type Trial, advanceTrial, type TrialStep } from './trial.ts'

const after = (...steps: readonly TrialStep[]): Trial | null =>
  steps.reduce<Trial | null>(advanceTrial, advanceTrial(null, { type: 'asked', question: 'Hi?' }))
const text = (piece: string): TrialStep => ({ type: 'text', text: piece })
const done: TrialStep = { type: 'done', files: 1, first_piece_ms: 5, took_ms: 9 }

it('collects a reply, and ignores events after its end', () => {
  const file: TrialStep = { type: 'file', name: 'a.png', mime: 'image/png', bytes: 3 }
  expect(after(text('He'), text('llo'), file, done, text('!'), { type: 'ended' })).toEqual({
    question: 'Hi?',
    text: 'Hello',
    files: [{ name: 'a.png', bytes: 3 }],
    end: { is: 'complete', firstMs: 5, wholeMs: 9 },
  })
})

it('keeps the text before a failure, stop or disconnection', () => {
  const failed: TrialStep = { type: 'failed', code: 'assistant_failed', reason: 'refused', error: '401' }
  expect(after(text('He'), failed)).toMatchObject({
    text: 'He',
    end: { is: 'failed', reason: 'refused', words: '401' },
  })
  expect(after(text('He'), { type: 'stopped' }, done)).toMatchObject({ text: 'He', end: { is: 'stopped' } })
  expect(after(text('He'), { type: 'ended' })).toMatchObject({ end: { is: 'refused', error: { code: 'no_answer' } } })
  expect(after(done, { type: 'asked', question: 'And?' })).toMatchObject({ question: 'And?', text: '', end: null })
})
