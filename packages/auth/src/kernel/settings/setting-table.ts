import { ELSEWHERE, OLD } from './old-names.ts'
import type { Setting } from './setting.ts'
import { ALL_SETTINGS, type PlacedSetting } from './setting-groups.ts'

/** A row of the manual's table of settings. */
export interface SettingRow {
  readonly name: string
  readonly aliases: readonly string[]
  /** Phrased to follow "must be". */
  readonly type: string
  /** The default, described in words; empty if there is none. */
  readonly default: string
  readonly about: string
  /** The group, such as `account`; empty for top-level settings. */
  readonly group: string
  /** The path in the typed object, e.g. `account.loginMethods`; `null` for names that aren't settings here. */
  readonly path: string | null
  /** `old` names are translated, with a warning. `code` names are rejected if their value can only be given in code. */
  readonly use: 'setting' | 'old' | 'code'
  readonly secret: boolean
}

/** Every name that this package knows, for the manual. */
export const SETTING_TABLE: readonly SettingRow[] = [
  ...ALL_SETTINGS.map(settingRow),
  ...Object.values(OLD).map(
    ({ name, aliases, kind, about, becomes }): SettingRow => ({
      name,
      aliases,
      type: kind.type,
      default: '',
      about: `Replaced by ${becomes}. ${about}`,
      group: name.startsWith('ACCOUNT_') ? 'account' : '',
      path: null,
      use: 'old',
      secret: false,
    }),
  ),
  ...ELSEWHERE.map(
    ({ name, group, instead }): SettingRow => ({
      name,
      aliases: productNames(name),
      type: '',
      default: '',
      about: instead,
      group,
      path: null,
      use: 'code',
      secret: false,
    }),
  ),
]

function settingRow({ setting, group, path }: PlacedSetting): SettingRow {
  const { name, aliases = [], kind, about, secret = false } = setting
  return {
    name,
    aliases: [...aliases, ...[name, ...aliases].flatMap(productNames)],
    type: kind.type,
    default: defaultText(setting),
    about,
    group: group ?? '',
    path,
    use: 'setting',
    secret,
  }
}

/** Returns the spellings of a name with another product prefix. */
function productNames(name: string): readonly string[] {
  if (name.startsWith('HEADLESS_')) return [`GATEPOST_${name}`, `AUTHPKG_${name}`]
  return name.startsWith('GATEPOST_') ? [name.replace('GATEPOST_', 'AUTHPKG_')] : []
}

function defaultText({ fallback, fallbackText }: Setting<unknown, unknown>): string {
  if (fallbackText !== undefined) return fallbackText
  if (Array.isArray(fallback)) return fallback.length === 0 ? 'none' : fallback.join(', ')
  if (fallback === '') return 'empty'
  return typeof fallback === 'string' ? fallback : (JSON.stringify(fallback) ?? '')
}
