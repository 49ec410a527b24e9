import { describe, expect, it } from 'vitest'
import { cutId, jsonText, maskSecret, plainLine } from './text.ts'
import { cutToWidth, displayWidth, wrapToWidth } from './width.ts'

describe('text for a terminal', () => {
  it.each([
    ['abc', 3],
    ['王小明', 6],
    ['한국', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['\u001b[31mred\u001b[39m', 3],
    ['', 0],
  ])('%j takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns)
  })

  it.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long for it', 8, 'too lon…'],
    ['王小明', 5, '王小…'],
    ['王小明', 4, '王…'],
  ])('%j is cut to %i columns', (text, columns, cut) => {
    expect(cutToWidth(text, columns)).toBe(cut)
  })

  it.each([
    ['two\nlines\tand  more', 'two lines and more'],
    ['\u001b]0;title\u0007\u001b[2Jhi', 'hi'],
    ['\u009b31mred', 'red'],
    ['abc\u202etxt.exe', 'abctxt.exe'],
    ['a\u0000b\u0007c', 'abc'],
  ])('%j becomes one harmless line', (text, line) => {
    expect(plainLine(text)).toBe(line)
  })

  it('is wrapped between words', () => {
    expect(wrapToWidth('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrapToWidth('a verylongword b', 5)).toEqual(['a', 'verylongword', 'b'])
    expect(wrapToWidth('never', Number.POSITIVE_INFINITY)).toEqual(['never'])
  })

  it('JSON has no character that a terminal acts on', () => {
    const value = { text: 'a\u001b[2J\u009b31m\u202eb' }
    const text = jsonText(value)
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(JSON.parse(text)).toEqual(value)
  })

  it('shows the last four characters of a secret, and none of a short one', () => {
    expect(maskSecret('123456789:AAEabcdefghijklmnopqrstuvwxyz1234')).toBe('****1234')
    expect(maskSecret('abcdefgh')).toBe('****')
  })

  it('cuts ids to twelve characters', () => {
    expect(cutId('cli_a1b2c3d4e5f6g7')).toBe('cli_a1b2c3d4…')
    expect(cutId('cli_a1b2c3d4')).toBe('cli_a1b2c3d4')
  })
})
