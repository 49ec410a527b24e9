import { describe, expect, it } from 'vitest'
import { ALL_SETTINGS } from './kernel/settings/setting-groups.ts'
import { EMAIL_EFFECTS } from './testing/effects/email.ts'
import { HEADLESS_EFFECTS } from './testing/effects/headless.ts'
import { HOST_EFFECTS } from './testing/effects/host.ts'
import { LOGIN_EFFECTS } from './testing/effects/login.ts'
import { OIDC_EFFECTS } from './testing/effects/oidc.ts'
import { PASSWORD_EFFECTS } from './testing/effects/password.ts'
import { SECOND_FACTOR_EFFECTS } from './testing/effects/second-factors.ts'
import { SIGNUP_EFFECTS } from './testing/effects/signup.ts'
import { SOCIAL_EFFECTS } from './testing/effects/social.ts'
import { createEffectWorld } from './testing/effects/effect.ts'

const EFFECTS = [
  ...HOST_EFFECTS,
  ...LOGIN_EFFECTS,
  ...EMAIL_EFFECTS,
  ...PASSWORD_EFFECTS,
  ...SIGNUP_EFFECTS,
  ...SECOND_FACTOR_EFFECTS,
  ...HEADLESS_EFFECTS,
  ...OIDC_EFFECTS,
  ...SOCIAL_EFFECTS,
]
/** Modules whose settings work already. */
const GROUPS: readonly unknown[] = [null, 'account', 'socialaccount', 'mfa', 'headless', 'usersessions', 'idpOidc']

/** Shown elsewhere: adapters and mail of the host's own in the tests of code in settings, endings in the tests of templates, keys in the tests of the tables, the mail server in those of the transports. */
const ELSEWHERE = [
  'account.adapter',
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
  'socialaccount.adapter',
  'userTable',
]

describe.each(EFFECTS.map((effect) => [effect.setting, effect] as const))('%s', (_setting, effect) => {
  it.each([
    ['by default', false, effect.without],
    ['changed', true, effect.within],
  ] as const)('%s', async (_why, isChanged, expected) => {
    const world = await createEffectWorld(effect, isChanged)
    try {
      expect(await effect.observe(world)).toEqual(expected)
    } finally {
      await world.close()
    }
  })
})

it('is shown of every setting', () => {
  const wanted = ALL_SETTINGS.filter(({ group }) => GROUPS.includes(group)).map(({ path }) => path)
  const shown = [...EFFECTS.map(({ setting }) => setting), ...ELSEWHERE]
  expect(wanted.filter((path) => !shown.includes(path))).toEqual([])
  expect(shown.filter((path) => !wanted.includes(path))).toEqual([])
})
