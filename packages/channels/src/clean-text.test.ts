import { expect, it } from 'vitest'
import { cleanText, cleanTexts } from './clean-text.ts'

it.each([
  ['plain', 'plain'],
  ['a\0b\0', 'ab'],
  ['\ud83d', '\ufffd'],
  ['x\udc00\0y', 'x\ufffdy'],
  ['\ud83d\ude00 stays\n\t', '\ud83d\ude00 stays\n\t'],
])('%j becomes %j', (text, clean) => {
  expect(cleanText(text)).toBe(clean)
})

it('leaves a clean value as it is, the same object', () => {
  const value = { a: 'x', b: [{ c: 1, d: null }] }
  expect(cleanTexts(value)).toBe(value)
})

it('cleans every text, however deep, and keeps everything else', () => {
  const value = { text: 'a\0', n: 1, none: null, media: [{ name: '\ud800' }, 'b\0'], from: { id: '\0' } }
  expect(cleanTexts(value)).toEqual({ text: 'a', n: 1, none: null, media: [{ name: '\ufffd' }, 'b'], from: { id: '' } })
})
