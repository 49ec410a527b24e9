import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../errors.ts'
import { loadArgon2, nodeArgon2 } from './argon2.ts'
import { createPasswords, type PasswordOptions, TODAY } from './password-service.ts'
import { trimPassword } from './passwords.ts'

const settings: PasswordOptions['settings'] = {
  passwordHashers: ['argon2', 'pbkdf2_sha256', 'pbkdf2_sha1', 'bcrypt_sha256', 'bcrypt', 'scrypt', 'md5'],
  passwordValidators: [],
  account: { passwordMinLength: 6, passwordStrength: null },
}
const passwords = createPasswords({ settings, random: randomBytes })
const OLD = { ok: true, rehash: true }
const WRONG = { ok: false, rehash: false }

// The formats of the web framework that the tables come from; RFC 6070 for PBKDF2 with SHA-1, crypt_blowfish for bcrypt.
const STORED = {
  pbkdf2_sha256: 'pbkdf2_sha256$1000000$seasalt$YAIKAoSUTEdxN9PnpbX3zRB+moycA+WW4OS32mkutqM=',
  pbkdf2_sha1: 'pbkdf2_sha1$4096$salt$SwB5AbdlSJq+rUnZJvch0GWkKcE=',
  scrypt:
    'scrypt$16384$seasalt$8$5$3vqv8bhuV70T8qE/sm/1JgaaAVCPji0UBOiBZ08T4YJshNUkRkzId6sCqfxxDbPrlelp7VLgYKxUQHS0Cqv4lw==',
  argon2: 'argon2$argon2id$v=19$m=102400,t=2,p=8$c2Vhc2FsdHNlYXNhbHQ$y12v6sXHmXtty/PyPUDLHFXLIjhqwve0G68JEhhXEf4',
  bcrypt_sha256: 'bcrypt_sha256$$2b$12$abcdefghijklmnopqrstuugkQA0GCBGUEqAtJsvVqqVkMMm/ez2qi',
  md5: 'md5$seasalt$1e9bf2bf5606aa5c39852cc30f0f6f22',
}

describe('a current hash', () => {
  it('is argon2id in the stored form, its salt the text of 22 letters and digits, and fits the column', async () => {
    const encoded = await passwords.hash('correct horse')
    expect(encoded).toMatch(/^argon2\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{30}\$[A-Za-z0-9+/]{43}$/)
    expect(Buffer.from(encoded.split('$')[4] ?? '', 'base64').toString()).toMatch(/^[A-Za-z0-9]{22}$/)
    expect(encoded.length).toBeLessThanOrEqual(128)
    expect(await passwords.verify('correct horse', encoded)).toMatchObject({ ok: true, rehash: false })
    expect(await passwords.hash('correct horse')).not.toBe(encoded)
  })

  it('knows every character of the password, but not the blanks around it', async () => {
    const encoded = await passwords.hash(' correct  ')
    for (const same of ['correct', ' correct  ', '\tcorrect\u00a0']) {
      expect(await passwords.verify(same, encoded)).toMatchObject({ ok: true, rehash: false })
    }
    for (const other of ['Correct', 'cor rect', 'correct.'])
      expect(await passwords.verify(other, encoded)).toMatchObject(WRONG)
  })

  it('is compared as typed first, and then due for renewal: an earlier version stored the blanks', async () => {
    const native = await loadArgon2()
    const salt = Buffer.from('seasaltseasaltseasalt')
    const hash = await native(' correct ', salt, TODAY, 32)
    const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
    const encoded = `argon2$argon2id$v=19$m=19456,t=2,p=1$${text(salt)}$${text(hash)}`
    expect(await passwords.verify(' correct ', encoded)).toMatchObject(OLD)
    for (const other of ['correct', ' correct', '  correct ']) {
      expect(await passwords.verify(other, encoded)).toMatchObject(WRONG)
    }
  })

  it('is none for a blank password', async () => {
    for (const blank of ['', ' ', '\t\u00a0\n']) {
      const encoded = await passwords.hash(blank)
      expect(passwords.isUsable(encoded)).toBe(false)
      expect(await passwords.verify(blank, encoded)).toMatchObject(WRONG)
    }
  })

  it('is right for its password and no other, whatever these are', async () => {
    const password = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(password, password, async (one, other) => {
        const encoded = await passwords.hash(one)
        expect((await passwords.verify(one, encoded)).ok).toBe(trimPassword(one) !== '')
        expect((await passwords.verify(other, encoded)).ok).toBe(
          trimPassword(one) !== '' && trimPassword(one) === trimPassword(other),
        )
      }),
      { numRuns: 15 },
    )
  })

  it('is the same with the native library and with Node itself', async () => {
    const parameters = { variant: 'argon2id', version: 19, memoryKib: 1_024, passes: 2, lanes: 2 } as const
    const native = await loadArgon2()
    expect(native).not.toBe(nodeArgon2)
    const salt = Buffer.from('seasaltseasalt')
    expect(await native('password', salt, parameters, 32)).toEqual(await nodeArgon2('password', salt, parameters, 32))
  })
})

describe('a hash of an older site', () => {
  it.each(Object.entries(STORED))('is right and due for renewal: %s', async (_format, encoded) => {
    expect(await passwords.verify('password', encoded)).toMatchObject(OLD)
    expect(await passwords.verify('Password', encoded)).toMatchObject(WRONG)
  })

  it('is right: bcrypt', async () => {
    const encoded = 'bcrypt$$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
    expect(await passwords.verify('U*U', encoded)).toMatchObject(OLD)
    expect(await passwords.verify('U*V', encoded)).toMatchObject(WRONG)
  })

  it.each([STORED.md5, STORED.pbkdf2_sha1, STORED.argon2])(
    'is tried once without the blanks at the ends, which such sites took off: %s',
    async (encoded) => {
      expect(await passwords.verify('  password\u00a0\u001c', encoded)).toMatchObject(OLD)
      expect(await passwords.verify('pass word', encoded)).toMatchObject(WRONG)
    },
  )

  it('is due for renewal when only its cost differs', async () => {
    const native = await loadArgon2()
    const parameters = { variant: 'argon2id', version: 19, memoryKib: 19_456, passes: 3, lanes: 1 } as const
    const hash = await native('password', Buffer.from('seasaltseasaltseasalt'), parameters, 32)
    const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
    const encoded = `argon2$argon2id$v=19$m=19456,t=3,p=1$${text(Buffer.from('seasaltseasaltseasalt'))}$${text(hash)}`
    expect(await passwords.verify('password', encoded)).toMatchObject(OLD)
  })

  it('is not taken when its format is not among the settings', async () => {
    const strict = createPasswords({ settings: { ...settings, passwordHashers: ['argon2'] }, random: randomBytes })
    expect(await strict.verify('password', STORED.md5)).toMatchObject(WRONG)
    expect(await strict.verify('password', STORED.argon2)).toMatchObject(OLD)
  })
})

describe('no password', () => {
  it('is never right', async () => {
    const none = passwords.unusable()
    expect(none).toMatch(/^![A-Za-z0-9]{40}$/)
    expect(passwords.isUsable(none)).toBe(false)
    expect(passwords.isUsable('')).toBe(false)
    expect(passwords.isUsable(STORED.md5)).toBe(true)
    for (const encoded of [none, '', 'nonsense', 'argon2$'])
      expect(await passwords.verify('', encoded)).toMatchObject(WRONG)
  })

  it('any stored text is checked without a fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (password, encoded) => {
        expect(await passwords.verify(password, encoded)).toMatchObject(WRONG)
      }),
      { numRuns: 10 },
    )
  })
})

describe('too much at once', () => {
  it('is rejected with 503 and Retry-After, and the queued work is done', async () => {
    const one = createPasswords({ settings, random: randomBytes, cores: 2 })
    const all = Array.from({ length: 1 + 256 + 3 }, () => one.verify('password', STORED.md5))
    const outcomes = await Promise.allSettled(all)
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    expect(refused).toHaveLength(3)
    expect(refused[0]).toBeInstanceOf(AuthError)
    expect(refused[0]).toMatchObject({ code: 'overloaded', status: 503, headers: { 'Retry-After': '5' } })
  })
})
