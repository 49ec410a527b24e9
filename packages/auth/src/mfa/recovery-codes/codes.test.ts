import { expect, it } from 'vitest'
import { SEED, SEED_CODES } from '../testing-bench.ts'
import { deriveCodes, createSeed } from '../changes.ts'

it('recovery codes are those that an old site has handed out', () => {
  expect(deriveCodes(SEED, { count: 10, digits: 8 })).toEqual(SEED_CODES)
})

it('recovery codes have as many digits as are wanted', () => {
  for (const digits of [6, 9, 32]) {
    const codes = deriveCodes(SEED, { count: 50, digits })
    expect(new Set(codes.map(({ length }) => length))).toEqual(new Set([digits]))
    expect(new Set(codes).size).toBe(50)
  }
})

it('a seed is 80 hex digits of 40 random bytes', () => {
  expect(createSeed((length) => Buffer.alloc(length, 0xa5))).toBe('a5'.repeat(40))
})
