import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseAddresses } from './signup-flow.ts'
import { usernameBase } from './username.ts'

const candidate = (email: string, flags = ''): { email: string; verified: boolean; primary: boolean } => ({
  email,
  verified: flags.includes('v'),
  primary: flags.includes('p'),
})

describe('the addresses of a new account', () => {
  it.each([
    ['nothing of nothing', [], []],
    ['one alone is primary', [candidate('a@b.org')], [candidate('a@b.org', 'p')]],
    ['no invalid ones', [candidate('nothing', 'vp'), candidate('a@b.org')], [candidate('a@b.org', 'p')]],
    [
      'verified and primary wins',
      [candidate('a@b.org', 'p'), candidate('c@b.org', 'v'), candidate('d@b.org', 'vp')],
      [candidate('a@b.org'), candidate('c@b.org', 'v'), candidate('d@b.org', 'vp')],
    ],
    [
      'then verified',
      [candidate('a@b.org', 'p'), candidate('c@b.org', 'v')],
      [candidate('a@b.org'), candidate('c@b.org', 'vp')],
    ],
    [
      'then primary',
      [candidate('a@b.org'), candidate('c@b.org', 'p')],
      [candidate('a@b.org'), candidate('c@b.org', 'p')],
    ],
    ['doubles are one', [candidate('A@b.org', 'p'), candidate('a@B.org', 'v')], [candidate('a@b.org', 'vp')]],
  ])('%s', (_why, given, chosen) => {
    expect(chooseAddresses(given)).toEqual(chosen)
  })

  it('have exactly one primary', () => {
    const emails = fc.constantFrom('a@b.org', 'A@B.org', 'c@d.org', 'nothing')
    const candidates = fc.array(fc.record({ email: emails, verified: fc.boolean(), primary: fc.boolean() }))
    fc.assert(
      fc.property(candidates, (given) => {
        const chosen = chooseAddresses(given)
        expect(chosen.filter(({ primary }) => primary)).toHaveLength(chosen.length === 0 ? 0 : 1)
      }),
    )
  })
})

it.each([
  ['Ada.Lovelace@example.org', 'ada.lovelace'],
  ['Zoë  van Dyk', 'zoe_van_dyk'],
  ['зоя', ''],
  ['  ', ''],
  ['a+b-c_d!#$%@x', 'a+b-c_d'],
  ['@x', ''],
])('%j makes the user name %j', (text, base) => {
  expect(usernameBase(text)).toBe(base)
})
