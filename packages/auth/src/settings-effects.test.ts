import { describe, expect, it } from 'vitest'
import { ALL_SETTINGS } from './settings/setting-groups.ts'
import { EMAIL_EFFECTS } from './testing/effects/email.ts'
import { HOST_EFFECTS } from './testing/effects/host.ts'
import { LOGIN_EFFECTS } from './testing/effects/login.ts'
import { PASSWORD_EFFECTS } from './testing/effects/password.ts'
import { SIGNUP_EFFECTS } from './testing/effects/signup.ts'
import { worldOf } from './testing/effects/effect.ts'

const EFFECTS = [...HOST_EFFECTS, ...LOGIN_EFFECTS, ...EMAIL_EFFECTS, ...PASSWORD_EFFECTS, ...SIGNUP_EFFECTS]

/** Shown elsewhere: endings in the tests of templates, keys in the tests of the tables, the mail server in those of the transports. */
const ELSEWHERE = [
  'account.templateExtension',
  'defaultAutoField',
  'emailBackend',
  'emailFilePath',
  'emailHost',
  'emailHostPassword',
  'emailHostUser',
  'emailPort',
  'emailTimeout',
  'emailUseSsl',
  'emailUseTls',
  'userTable',
]
/** Of the part of a login that a second factor brings. */
const LATER = ['account.loginByCodeTrustEnabled']

describe.each(EFFECTS.map((effect) => [effect.setting, effect] as const))('%s', (_setting, effect) => {
  it.each([
    ['by default', false, effect.without],
    ['changed', true, effect.within],
  ] as const)('%s', async (_why, isChanged, expected) => {
    const world = await worldOf(effect, isChanged)
    try {
      expect(await effect.observe(world)).toEqual(expected)
    } finally {
      await world.close()
    }
  })
})

it('is shown of every setting of accounts, and of the host', () => {
  const wanted = ALL_SETTINGS.filter(({ group }) => group === null || group === 'account').map(({ path }) => path)
  const shown = [...EFFECTS.map(({ setting }) => setting), ...ELSEWHERE, ...LATER]
  expect(wanted.filter((path) => !shown.includes(path))).toEqual([])
  expect(shown.filter((path) => !wanted.includes(path))).toEqual([])
})
