import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createResetKey, isResetKey, type ResetKeySubject, readResetKeyUid } from './reset-key.ts'
import { createSigner } from './crypto.ts'
import { userIdFromText, userIdText } from '../users/user.ts'

const NOW = Date.UTC(2026, 10, 20)
const signer = createSigner(['first-key'])
const subject: ResetKeySubject = {
  id: 87,
  password: 'argon2$…',
  lastLoginMs: NOW - 1_000,
  email: 'ada@example.org',
  addresses: ['ada@example.org', 'ada@work.example'],
}
const limits = { nowMs: NOW, maxAgeSeconds: 259_200 }
const key = createResetKey(signer, subject, 'integer', NOW)

describe('a password reset key', () => {
  it('is the id in base36, the seconds since 2001 in base36 and 32 hex digits', () => {
    expect(key).toMatch(/^2f-[0-9a-z]{6}-[0-9a-f]{32}$/)
    expect(Number.parseInt(key.split('-')[1] ?? '', 36) * 1000 + Date.UTC(2001, 0, 1)).toBe(NOW)
    expect(readResetKeyUid(key, 'integer')).toBe(87)
  })

  it('is valid for its user until it expires', () => {
    expect(isResetKey(signer, key, subject, 'integer', limits)).toBe(true)
    expect(isResetKey(signer, key, subject, 'integer', { ...limits, nowMs: NOW + 259_200_000 })).toBe(true)
    expect(isResetKey(signer, key, subject, 'integer', { ...limits, nowMs: NOW + 259_201_000 })).toBe(false)
    expect(isResetKey(signer, key, subject, 'integer', { ...limits, nowMs: NOW - 61_000 })).toBe(false)
  })

  it.each([
    ['a login', { lastLoginMs: NOW }],
    ['a new password', { password: 'argon2$other' }],
    ['another e-mail', { email: 'ada@work.example' }],
    ['an address more', { addresses: [...subject.addresses, 'ada@third.example'] }],
    ['an address less', { addresses: ['ada@example.org'] }],
    ['another user', { id: 88 }],
  ])('is dead after %s', (_what, change) => {
    expect(isResetKey(signer, key, { ...subject, ...change }, 'integer', limits)).toBe(false)
  })

  it('does not depend on the order of the addresses', () => {
    expect(isResetKey(signer, key, { ...subject, addresses: subject.addresses.toReversed() }, 'integer', limits)).toBe(
      true,
    )
  })

  it('is checked with old keys too', () => {
    expect(isResetKey(createSigner(['new', 'first-key']), key, subject, 'integer', limits)).toBe(true)
    expect(isResetKey(createSigner(['new']), key, subject, 'integer', limits)).toBe(false)
  })

  it('has an id with dashes in it, where ids are text', () => {
    const made = createResetKey(signer, { ...subject, id: 'team-a-7' }, 'text', NOW)
    expect(isResetKey(signer, made, { ...subject, id: 'team-a-7' }, 'text', limits)).toBe(true)
    expect(readResetKeyUid(made, 'text')).toBe('team-a-7')
  })

  it('any other text is no key', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(fc.string(), fc.string()).map((ends) => ends.join(key)),
        ),
        (text) => {
          fc.pre(text !== key)
          expect(isResetKey(signer, text, subject, 'integer', limits)).toBe(false)
        },
      ),
    )
  })
})

describe('the id of a user in a link', () => {
  it.each([
    [1, 'integer', '1'],
    [87, 'integer', '2f'],
    [2 ** 31 - 1, 'integer', 'zik0zj'],
    [2 ** 40, 'bigint', (2 ** 40).toString(36)],
    ['0192d3a4-5b6c-7d8e-9f01-23456789abcd', 'uuid', '0192d3a45b6c7d8e9f0123456789abcd'],
    ['Ada', 'text', 'Ada'],
  ] as const)('%s (%s) is %s', (id, idType, text) => {
    expect(userIdText(id, idType)).toBe(text)
    expect(userIdFromText(text, idType)).toBe(id)
  })

  it.each([
    ['zik0zk', 'integer'],
    ['zzzzzzzzzzz', 'bigint'],
    ['-1', 'integer'],
    ['', 'integer'],
    ['1.5', 'bigint'],
    ['0192d3a4', 'uuid'],
    ['0192d3a45b6c7d8e9f0123456789abcg', 'uuid'],
    ['', 'text'],
    ['a\0b', 'text'],
    ['x'.repeat(256), 'text'],
  ] as const)('no user has %j (%s)', (text, idType) => {
    expect(userIdFromText(text, idType)).toBeNull()
  })
})
