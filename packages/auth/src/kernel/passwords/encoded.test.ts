import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCheap, parseEncoded } from './password-service.ts'

const HASH = 'y12v6sXHmXtty/PyPUDLHFXLIjhqwve0G68JEhhXEf4'
const KEY = 'YAIKAoSUTEdxN9PnpbX3zRB+moycA+WW4OS32mkutqM='

describe('a stored hash', () => {
  it('has the salt as the text that it shows', () => {
    expect(parseEncoded(`pbkdf2_sha256$1000$sea$${KEY}`)).toEqual({
      format: 'pbkdf2_sha256',
      iterations: 1000,
      salt: Buffer.from('sea'),
      hash: Buffer.from(KEY, 'base64'),
    })
  })

  it('of argon2 without a version is of version 16', () => {
    expect(parseEncoded(`argon2$argon2i$m=512,t=2,p=2$c2Vhc2FsdHNlYXNhbHQ$${HASH}`)).toMatchObject({
      parameters: { variant: 'argon2i', version: 16, memoryKib: 512, passes: 2, lanes: 2 },
      salt: Buffer.from('seasaltseasalt'),
    })
  })

  it.each([
    ['nothing', ''],
    ['unusable', `!${'a'.repeat(40)}`],
    ['of an unknown format', `sha1$sea$${'0'.repeat(40)}`],
    ['a plain text', 'password'],
    ['too much memory', `argon2$argon2id$v=19$m=4194304,t=2,p=1$c2Vhc2FsdHNlYXNhbHQ$${HASH}`],
    ['passes for hours', `argon2$argon2id$v=19$m=102400,t=9999,p=1$c2Vhc2FsdHNlYXNhbHQ$${HASH}`],
    ['too many lanes', `argon2$argon2id$v=19$m=102400,t=2,p=255$c2Vhc2FsdHNlYXNhbHQ$${HASH}`],
    ['less memory than its lanes need', `argon2$argon2id$v=19$m=8,t=2,p=2$c2Vhc2FsdHNlYXNhbHQ$${HASH}`],
    ['an unknown version', `argon2$argon2id$v=20$m=102400,t=2,p=8$c2Vhc2FsdHNlYXNhbHQ$${HASH}`],
    ['an unknown kind of argon2', `argon2$argon2x$v=19$m=102400,t=2,p=8$c2Vhc2FsdHNlYXNhbHQ$${HASH}`],
    ['rounds for hours', `pbkdf2_sha256$99999999$sea$${KEY}`],
    ['no rounds', `pbkdf2_sha256$0$sea$${KEY}`],
    ['a short key', 'pbkdf2_sha256$1000$sea$YAIK'],
    ['scrypt with a gigabyte', `scrypt$1048576$sea$8$1$${KEY}`],
    ['scrypt with an odd N', `scrypt$16383$sea$8$1$${KEY}`],
    ['scrypt with much work', `scrypt$16384$sea$8$1000$${KEY}`],
    ['bcrypt for days', `bcrypt$$2b$31$${'a'.repeat(53)}`],
    ['bcrypt cut off', `bcrypt$$2b$12$${'a'.repeat(52)}`],
    ['md5 cut off', 'md5$sea$1e9bf2bf'],
    ['very long', `md5$${'a'.repeat(1_000)}$${'0'.repeat(32)}`],
    ['a part too many', `md5$sea$${'0'.repeat(32)}$`],
  ])('is not one: %s', (_why, encoded) => {
    expect(parseEncoded(encoded)).toBeNull()
  })

  it.each([
    [true, `argon2$argon2id$v=19$m=8,t=1,p=1$c2Vhc2FsdHNlYXNhbHQ$${HASH}`],
    [false, `argon2$argon2id$v=19$m=19456,t=2,p=1$c2Vhc2FsdHNlYXNhbHQ$${HASH}`],
    [true, `pbkdf2_sha256$12000$sea$${KEY}`],
    [false, `pbkdf2_sha256$1000000$sea$${KEY}`],
    [true, `scrypt$1024$sea$8$1$${KEY}`],
    [false, `scrypt$16384$sea$8$1$${KEY}`],
    [true, `bcrypt$$2b$04$${'a'.repeat(53)}`],
    [false, `bcrypt_sha256$$2b$12$${'a'.repeat(53)}`],
    [true, `md5$sea$${'0'.repeat(32)}`],
  ])('takes so little time that it would show: %s of %s', (cheap, encoded) => {
    const stored = parseEncoded(encoded)
    expect(stored && isCheap(stored)).toBe(cheap)
  })

  it('can be anything, and is read without a fault', () => {
    const formats = ['argon2', 'pbkdf2_sha256', 'pbkdf2_sha1', 'scrypt', 'bcrypt', 'bcrypt_sha256', 'md5', 'x']
    const parts = fc.array(fc.oneof(fc.string(), fc.nat().map(String)), { maxLength: 6 })
    fc.assert(
      fc.property(fc.constantFrom(...formats), parts, (format, rest) => {
        const read = parseEncoded([format, ...rest].join('$'))
        expect(read === null || read.format === format).toBe(true)
      }),
    )
  })
})
