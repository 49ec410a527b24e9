import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSigner } from './crypto.ts'

const NOW = Date.UTC(2026, 10, 20)
const signer = createSigner(['first-key'])
const limits = { nowMs: NOW, maxAgeSeconds: 60 }

describe('a signed value', () => {
  it('has three parts: the JSON, the seconds in base62, the HMAC of both', () => {
    // The time of the vector is known, its key is not: the signature is computed here by the rule.
    const text = createSigner(['a secret']).sign(12, 'account', 1_795_086_572_000)
    const key = createHash('sha256').update('accountsignera secret').digest()
    const message = text.slice(0, text.lastIndexOf(':'))
    expect(text).toBe(`${message}:${createHmac('sha256', key).update(message).digest('base64url')}`)
    expect(message).toMatch(/^MTI:1[0-9A-Za-z]{5}$/)
  })

  it('reads the time as digits, upper case, lower case', () => {
    expect(signer.sign(1, 's', 61_000).split(':')[1]).toBe('z')
    expect(signer.sign(1, 's', 62_000).split(':')[1]).toBe('10')
    expect(signer.sign(1, 's', 35_000).split(':')[1]).toBe('Z')
    expect(signer.sign(1, 's', 0).split(':')[1]).toBe('0')
  })

  it('comes back, whatever it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, salt) => {
        expect(signer.unsign(signer.sign(value, salt, NOW), salt, limits)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('does not survive the change of a single character', () => {
    const text = signer.sign({ id: 12 }, 'account', NOW)
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
      expect(signer.unsign(changed, 'account', limits)).toBeNull()
    }
  })

  it.each([
    ['another salt', signer.sign(1, 'other', NOW), limits],
    ['another key', createSigner(['second-key']).sign(1, 'account', NOW), limits],
    ['one second too old', signer.sign(1, 'account', NOW), { ...limits, nowMs: NOW + 61_000 }],
    ['from the future', signer.sign(1, 'account', NOW + 61_000), limits],
    ['empty', '', limits],
    ['a part too many', `${signer.sign(1, 'account', NOW)}:x`, limits],
    ['long', `${'A'.repeat(1_000_000)}:1:x`, limits],
  ])('is refused: %s', (_why, text, at) => {
    expect(signer.unsign(text, 'account', at)).toBeNull()
  })

  it('may be as old as is allowed, and a minute ahead', () => {
    expect(signer.unsign(signer.sign(1, 'a', NOW), 'a', { ...limits, nowMs: NOW + 60_000 })).toBe(1)
    expect(signer.unsign(signer.sign(1, 'a', NOW + 60_000), 'a', limits)).toBe(1)
  })
})

describe('after a change of keys', () => {
  const before = createSigner(['old'])
  const after = createSigner(['new', 'old'])

  it('old signatures stay valid while the old key is listed, and new ones use the new key', () => {
    expect(after.unsign(before.sign(7, 'a', NOW), 'a', limits)).toBe(7)
    expect(before.unsign(after.sign(7, 'a', NOW), 'a', limits)).toBeNull()
    expect(createSigner(['new']).unsign(after.sign(7, 'a', NOW), 'a', limits)).toBe(7)
  })

  it("fingerprints of all keys are known, today's first", () => {
    expect(after.fingerprints('text', 'a')).toEqual([after.fingerprint('text', 'a'), before.fingerprint('text', 'a')])
    expect(after.fingerprint('text', 'a')).not.toBe(after.fingerprint('text', 'b'))
    expect(after.fingerprint('text', 'a')).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('a signed object', () => {
  it('has two parts: the JSON, and its HMAC', () => {
    const [json = '', signature] = createSigner(['a secret'])
      .signObject([['x', 1]], 'a salt')
      .split(':')
    expect(Buffer.from(json, 'base64url').toString()).toBe('[["x",1]]')
    const key = createHash('sha256').update('a saltsignera secret').digest()
    expect(signature).toBe(createHmac('sha256', key).update(json).digest('base64url'))
  })

  it('comes back, with an old key too, and for its salt alone', () => {
    const text = signer.signObject({ id: 12 }, 'a')
    expect(createSigner(['new-key', 'first-key']).unsignObject(text, 'a')).toEqual({ id: 12 })
    expect([signer.unsignObject(text, 'b'), createSigner(['new-key']).unsignObject(text, 'a')]).toEqual([null, null])
    expect(signer.unsignObject(signer.sign({ id: 12 }, 'a', NOW), 'a')).toBeNull()
    expect(signer.unsign(text, 'a', limits)).toBeNull()
  })

  it('does not survive the change of a single character', () => {
    const text = signer.signObject({ id: 12 }, 'account')
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
      expect(signer.unsignObject(changed, 'account')).toBeNull()
    }
  })

  it.each(['', ':', 'A', 'A:', `A:${'A'.repeat(43)}`, 'A'.repeat(30_000)])('is not %j', (text) => {
    expect(signer.unsignObject(text, 'account')).toBeNull()
  })
})
