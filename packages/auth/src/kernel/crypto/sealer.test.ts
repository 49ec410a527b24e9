import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../errors.ts'
import { createSealer } from './crypto.ts'

const sealer = createSealer(['first-key'])
const unreadable = new AuthError('secret_unreadable')

describe('a sealed text', () => {
  it('opens in its place and nowhere else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
        const sealed = sealer.seal(text, context)
        expect(sealer.open(sealed, context)).toBe(text)
        expect(() => sealer.open(sealed, `${context}x`)).toThrow(unreadable)
      }),
    )
  })

  it('shows nothing of the text, and is another each time', () => {
    const [one, two] = [sealer.seal('a secret', 'c'), sealer.seal('a secret', 'c')]
    expect(one).not.toBe(two)
    expect(Buffer.from(one.split('.')[1] ?? '', 'base64url').includes('a secret')).toBe(false)
  })

  it('does not open when a single bit has changed', () => {
    const [id = '', body = ''] = sealer.seal('text', 'c').split('.')
    const bytes = Buffer.from(body, 'base64url')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => sealer.open(`${id}.${changed.toString('base64url')}`, 'c')).toThrow(unreadable)
    }
  })

  it('anything else is refused', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => sealer.open(text, 'c')).toThrow(unreadable)
        expect(() => sealer.open(`${sealer.seal('', 'c').split('.')[0]}.${text}`, 'c')).toThrow(unreadable)
      }),
    )
  })

  it('opens with an old key behind the new one', () => {
    const sealed = createSealer(['old']).seal('text', 'c')
    const rotated = createSealer(['new', 'old'])
    expect(rotated.open(sealed, 'c')).toBe('text')
    expect(createSealer(['new']).open(rotated.seal('text', 'c'), 'c')).toBe('text')
    expect(() => createSealer(['new']).open(sealed, 'c')).toThrow(unreadable)
  })

  it('opens texts stored by earlier versions', () => {
    const old = createSealer(['another made-up key, long enough', 'a made-up key that only tests use, long enough'])
    const sealed = 'QAtQMrHN.BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHB95L6azwsoQ3rllphwwbiJYvjAOxGf59V13ff_472w'
    expect(old.open(sealed, 'mfa totp 42')).toBe('JBSWY3DP ünï')
  })

  it('is stored byte for byte as earlier versions stored it', () => {
    const random = (length: number): Buffer => Buffer.alloc(length, 7)
    expect(
      createSealer(['a made-up key that only tests use, long enough'], random).seal('JBSWY3DP ünï', 'mfa totp 42'),
    ).toBe('QAtQMrHN.BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHB95L6azwsoQ3rllphwwbiJYvjAOxGf59V13ff_472w')
  })
})
