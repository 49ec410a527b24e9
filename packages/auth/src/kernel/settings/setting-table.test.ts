import { describe, expect, it } from 'vitest'
import { ALL_SETTINGS } from './setting-groups.ts'
import { SETTING_TABLE } from './setting-table.ts'

describe('the rows', () => {
  /** Names that do not follow from the property: those of the framework, and our own. */
  const OTHER_NAMES = ['pathPrefix', 'passwordValidators', 'userTable']
  const PREFIX = {
    account: 'ACCOUNT_',
    socialaccount: 'SOCIALACCOUNT_',
    mfa: 'MFA_',
    headless: 'HEADLESS_',
    usersessions: 'USERSESSIONS_',
    idpOidc: 'IDP_OIDC_',
  } as const

  it.each(ALL_SETTINGS.filter(({ key }) => !OTHER_NAMES.includes(key)))(
    '$path is named after its setting',
    ({ setting, group, key }) => {
      const upper = key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
      const name = group === null ? setting.name.replace('GATEPOST_', '') : setting.name
      expect(name).toBe((group === null ? '' : PREFIX[group]) + upper)
    },
  )

  it.each(ALL_SETTINGS)('$path accepts its own example', ({ setting }) => {
    expect(setting.kind.read(setting.kind.example)).toHaveProperty('value')
  })

  it('name each setting once, and each has a default in words', () => {
    const names = SETTING_TABLE.flatMap(({ name, aliases }) => [name, ...aliases])
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
    expect(SETTING_TABLE.filter((row) => row.use === 'setting' && (row.default === '' || row.about === ''))).toEqual([])
  })
})
