import { expect, it } from 'vitest'
import { ALL_SETTINGS } from '../../kernel/settings/setting-groups.ts'
import { EFFECTS } from './all.ts'

/** Settings that other suites test: those of adapters, templates, tables, and mail transports. */
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

it('lists every setting', () => {
  const wanted = ALL_SETTINGS.map(({ path }) => path)
  const shown = [...EFFECTS.map(({ setting }) => setting), ...ELSEWHERE]
  expect(
    wanted.filter((path) => !shown.includes(path)),
    'settings without an effect: add one to a file in this folder',
  ).toEqual([])
  expect(
    shown.filter((path) => !wanted.includes(path)),
    'effects of unknown settings',
  ).toEqual([])
})
