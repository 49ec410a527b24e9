import { describe, expect, it } from 'vitest'
import { cleanProfile, profileText } from '../login/create-social-login.ts'

describe('the text of a linked account', () => {
  it.each([
    ['a user name first', { name: 'Ada', email: 'ada@example.org', login: 'ada' }, 'ada'],
    ['then an address', { name: 'Ada', email: 'ada@example.org' }, 'ada@example.org'],
    ['then a name', { displayName: ' Ada \n Lovelace ' }, 'Ada Lovelace'],
    ['then a name in pieces', { given_name: 'Ada', family_name: 'Lovelace' }, 'Ada Lovelace'],
    ['half a name', { last_name: 'Lovelace' }, 'Lovelace'],
    ['inside', { id: 1, userinfo: { sub: 'x', preferred_username: 'ada' } }, 'ada'],
    ['not what only looks right', { login: 'a\u202Ecod.exe' }, 'a cod.exe'],
    ['no more than fits', { login: 'x'.repeat(200) }, 'x'.repeat(100)],
    ['nothing else', { id: 7, login: { a: 1 }, token: 'a-token' }, ''],
  ])('is %s', (_why, profile, text) => {
    expect(profileText(profile)).toBe(text)
  })
})

describe('a profile as it is stored', () => {
  it('has nothing that a database does not take', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) as Record<string, unknown> // written above
    const profile = { 'na\0me': 'a\0b\uD800', list: [1, null, Infinity], nested: { ok: true }, deep }
    const clean = cleanProfile(profile)
    expect(clean).toMatchObject({ name: 'ab\uFFFD', list: [1, null, null], nested: { ok: true } })
    expect(JSON.stringify(clean).match(/"a":/g)?.length).toBeLessThan(20)
  })

  it('is short', () => {
    const large = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`m${at}`, 'x'.repeat(9_000)]))
    expect(cleanProfile({ ...large, login: 'ada', id: 7, more: { a: 1 } })).toEqual({ login: 'ada', id: 7 })
  })
})
