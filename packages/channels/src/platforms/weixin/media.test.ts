import { expect, it } from 'vitest'
import { readKey, seal, unseal } from './media.ts'

const KEY = '00112233445566778899aabbccddeeff'
const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64')

/** FIPS 197, appendix C.1, and a whole block of padding. */
it('encrypts as the standard says', () => {
  const plain = Buffer.from(KEY, 'hex')
  const sealed = Buffer.from(seal(plain, '000102030405060708090a0b0c0d0e0f')).toString('hex')
  expect(sealed).toMatch(/^69c4e0d86a7b0430d8cdb78070b4c55a[\da-f]{32}$/)
})

it.each([0, 1, 15, 16, 17, 1_000])('gives %i bytes back', (size) => {
  const plain = new Uint8Array(size).fill(7)
  expect(new Uint8Array(unseal(seal(plain, KEY), KEY) ?? [])).toEqual(plain)
})

it('does not take bytes for a file that were not encrypted with the key', () => {
  expect(unseal(new Uint8Array(15), KEY)).toBeNull()
  expect(unseal(seal(new Uint8Array(5), KEY), 'f'.repeat(32))).toBeNull()
})

it.each([
  ['hexadecimal digits', KEY, undefined, KEY],
  ['which count before the other', KEY, base64('f'.repeat(32)), KEY],
  ['base64 of the key', undefined, base64(Buffer.from(KEY, 'hex')), KEY],
  ['base64 of its hexadecimal text', undefined, base64(KEY), KEY],
  ['none', undefined, undefined, null],
  ['of a wrong length', undefined, base64('short'), undefined],
  ['of 32 bytes that are no digits', undefined, base64('x'.repeat(32)), undefined],
  ['no digits, and nothing else', 'x'.repeat(32), undefined, undefined],
])('reads a key: %s', (_which, hex, encoded, key) => {
  expect(readKey(hex, encoded)).toBe(key)
})
