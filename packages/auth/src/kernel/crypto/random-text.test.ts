import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { equalsConstantTime } from './crypto.ts'
import { ALPHANUMERIC, randomText } from './random.ts'

describe('random text', () => {
  it('has the requested length, of characters of the alphabet', () => {
    expect(randomText(randomBytes, ALPHANUMERIC, 4_000)).toMatch(/^[a-zA-Z0-9]{4000}$/)
    expect(randomText(randomBytes, 'ab', 0)).toBe('')
  })

  it('favours no character: every byte value once makes each of them equally often', () => {
    const everyByte = (length: number): Buffer => Buffer.from(Array.from({ length }, (_byte, value) => value))
    const text = randomText(everyByte, ALPHANUMERIC, 256 - (256 % 62))
    const counts = new Map<string, number>()
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
    expect(new Set(counts.values())).toEqual(new Set([4]))
    expect(counts.size).toBe(62)
  })
})

it('texts are compared as bytes', () => {
  expect(equalsConstantTime('ä', Buffer.from('ä'))).toBe(true)
  expect(equalsConstantTime('a', 'b')).toBe(false)
  expect(equalsConstantTime('a', 'aa')).toBe(false)
  expect(equalsConstantTime('', '')).toBe(true)
})
