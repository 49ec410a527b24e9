import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSealer, deriveBytes, type SealedText, type SealingFormat } from './sealer.ts'

const keyId = (secret: string): string => deriveBytes(secret, '', 'test key id', 6).toString('base64url')
const salted: SealingFormat = { info: 'test key', saltBytes: 16, order: 'text_tag', keyId }
const unsalted: SealingFormat = { info: 'test key', saltBytes: 0, order: 'tag_text', keyId }

describe.each([
  ['salt, nonce, text, tag', salted, 44],
  ['nonce, tag, text', unsalted, 28],
] as const)('a sealed text (%s)', (_order, format, overhead) => {
  const sealer = createSealer(format, ['first-key'])

  it('opens in its context and in no other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
        const sealed = sealer.seal(text, context)
        expect(sealed.bytes.length).toBe(Buffer.byteLength(text) + overhead)
        expect(sealer.open(sealed, context)).toBe(text)
        expect(sealer.open(sealed, `${context}x`)).toBeNull()
      }),
    )
  })

  it('hides the text and differs each time', () => {
    const [one, two] = [sealer.seal('a secret', 'c'), sealer.seal('a secret', 'c')]
    expect(one.bytes).not.toEqual(two.bytes)
    expect(Buffer.from(one.bytes).includes('a secret')).toBe(false)
  })

  it('does not open after a single bit has changed, or when bytes are missing', () => {
    const sealed = sealer.seal('text', 'c')
    const changes: SealedText[] = []
    for (const at of sealed.bytes.keys()) {
      const bytes = Buffer.from(sealed.bytes)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      changes.push({ ...sealed, bytes }, { ...sealed, bytes: sealed.bytes.subarray(0, at) })
    }
    expect(changes.filter((change) => sealer.open(change, 'c') !== null)).toEqual([])
  })

  it('refuses bytes that were never sealed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(sealer.open({ keyId: sealer.keyId, bytes }, 'c')).toBeNull()
      }),
    )
  })

  it('opens with an old key, and is sealed with the newest', () => {
    const sealed = createSealer(format, ['old']).seal('text', 'c')
    const rotated = createSealer(format, ['new', 'old'])
    const newest = createSealer(format, ['new'])
    expect(rotated.open(sealed, 'c')).toBe('text')
    expect(newest.open(rotated.seal('text', 'c'), 'c')).toBe('text')
    expect(rotated.seal('text', 'c').keyId).toBe(newest.keyId)
    expect(newest.open(sealed, 'c')).toBeNull()
    expect(newest.open({ ...sealed, keyId: newest.keyId }, 'c')).toBeNull()
  })

  it('takes its salt and nonce from the given random bytes', () => {
    const given = (length: number): Buffer => Buffer.alloc(length, 7)
    const head = createSealer(format, ['key'], given)
      .seal('text', 'c')
      .bytes.subarray(0, format.saltBytes + 12)
    expect(Buffer.from(head)).toEqual(given(format.saltBytes + 12))
  })
})

it('has a key for each salt only where texts are salted', () => {
  const nonce = Buffer.alloc(12, 1)
  const zeros = '\0'.repeat(32)
  const encrypted = (format: SealingFormat): Buffer => {
    const random = (length: number): Buffer => (length === 12 ? nonce : randomBytes(length))
    const { bytes } = createSealer(format, ['key'], random).seal(zeros, 'c')
    return Buffer.from(format.order === 'text_tag' ? bytes.subarray(28, -16) : bytes.subarray(28))
  }
  expect(encrypted(unsalted)).toEqual(encrypted(unsalted))
  expect(encrypted(salted)).not.toEqual(encrypted(salted))
})
