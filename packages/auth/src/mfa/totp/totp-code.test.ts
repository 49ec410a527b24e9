import { describe, expect, it } from 'vitest'
import { encodeBase32, findMatchingSteps } from './totp.ts'

const SECRET = encodeBase32(Buffer.from('12345678901234567890'))
const window = { digits: 8, period: 30, tolerance: 0 }

/** RFC 6238, appendix B. */
const VECTORS: readonly [seconds: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]

describe('a one-time code', () => {
  it.each(VECTORS)('at %d is %s', async (seconds, code) => {
    expect(await findMatchingSteps(SECRET, code, { ...window, nowMs: seconds * 1000 })).toEqual([
      Math.floor(seconds / 30),
    ])
  })

  it('counts in its period alone, and with a tolerance in those beside it', async () => {
    const at = (periods: number, tolerance: number): Promise<readonly number[]> =>
      findMatchingSteps(SECRET, '07081804', { ...window, tolerance, nowMs: (1_111_111_109 + 30 * periods) * 1000 })
    const step = Math.floor(1_111_111_109 / 30)
    expect(await Promise.all([at(-1, 0), at(0, 0), at(1, 0)])).toEqual([[], [step], []])
    expect(await Promise.all([at(-3, 2), at(-2, 2), at(2, 2), at(3, 2)])).toEqual([[], [step], [step], []])
  })

  it('may be typed in groups', async () => {
    expect(await findMatchingSteps(SECRET, ' 9428 7082\n', { ...window, nowMs: 59_000 })).toEqual([1])
  })

  it('belongs to a secret in any case', async () => {
    expect(await findMatchingSteps(SECRET.toLowerCase(), '94287082', { ...window, nowMs: 59_000 })).toEqual([1])
  })

  it.each(['', '9428708', '942870820', '00000000', 'abcdefgh', '９４２８７０８２'])('is not %j', async (code) => {
    expect(await findMatchingSteps(SECRET, code, { ...window, nowMs: 59_000 })).toEqual([])
  })

  it.each(['', '=', 'not base32!', '18'])('of the secret %j fails without revealing it', async (secret) => {
    await expect(findMatchingSteps(secret, '1', { ...window, nowMs: 0 })).rejects.toThrow(
      "A stored secret can't be decrypted with the configured keys.",
    )
  })
})
