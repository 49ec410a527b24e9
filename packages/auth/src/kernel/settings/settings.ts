import { AuthError } from '../../errors.ts'
import { isDeepStrictEqual } from 'node:util'
import { MODULE_APPS } from './installed-apps.ts'
import { settingProblems, settingWarnings } from './checks.ts'
import { isRecord } from './kind.ts'
import { nearestName, type Get, type Setting } from './setting.ts'
import { DEFAULT_PASSWORD_RULES } from './password-rules.ts'
import {
  ALL_SETTINGS,
  type AuthSettings,
  type AuthSettingsInput,
  GROUPS,
  type PlacedSetting,
  TOP,
} from './setting-groups.ts'
import type { UserColumns } from './user-table.ts'

export type { AuthSettings, AuthSettingsInput } from './setting-groups.ts'

/** Valid settings, and warnings for the operator, which contain no secrets. */
interface ResolvedSettings {
  readonly settings: AuthSettings
  readonly warnings: readonly string[]
}

/**
 * Fills in defaults and checks formats, ranges, and combinations, once at startup. Doesn't modify the input.
 * @returns Frozen settings. Secret ones are not enumerable, so that printing or copying the object leaves them out.
 * @throws {AuthError} `settings_invalid`, with every problem in its message
 */
export function resolveSettings(input: AuthSettingsInput = {}): ResolvedSettings {
  const { given, notes, problems } = readInput(input)
  refuse(problems)
  const get = valuesFrom(given)
  const settings = assemble(get)
  refuse([...ignoredSettings(given, get), ...settingProblems(settings)])
  return { settings, warnings: Object.freeze([...notes, ...settingWarnings(settings)]) }
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0)
    throw new AuthError('settings_invalid', { message: problems.join(' '), details: { problems: problems.length } })
}

/** Returns a getter of the final values: the given ones, or defaults, which may depend on other values. */
function valuesFrom(given: ReadonlyMap<Setting<unknown, unknown>, unknown>): Get {
  const values = new Map<unknown, unknown>()
  const get: Get = <T, I>(setting: Setting<T, I>): T => {
    if (!values.has(setting)) {
      const value = given.has(setting) ? given.get(setting) : defaultOf(setting, get)
      const read = value as T // a given value was read by this setting's own kind
      values.set(setting, setting.finish ? setting.finish(read, get) : read)
    }
    return values.get(setting) as T // stored above, under the same setting
  }
  alignSettings(get, given, (setting, value) => values.set(setting, value))
  return get
}

const defaultOf = <T, I>({ fallback }: Setting<T, I>, get: Get): T => (isDerived(fallback) ? fallback(get) : fallback)

const isDerived = <T>(fallback: T | ((get: Get) => T)): fallback is (get: Get) => T => typeof fallback === 'function'

/**
 * Returns a problem for each module that is off although the caller passed some of its settings. Ignoring them could leave a
 * site without the second factor that its operator believes in. Settings that equal their default are fine.
 */
function* ignoredSettings(given: ReadonlyMap<Setting<unknown, unknown>, unknown>, get: Get): Generator<string> {
  for (const group of Object.keys(MODULE_APPS)) {
    const { enabled } = GROUPS[group as keyof typeof MODULE_APPS] // its own key
    if (get(enabled)) continue
    const names = ALL_SETTINGS.filter((placed) => placed.group === group && placed.setting !== enabled)
      .filter(({ setting }) => given.has(setting) && !isDeepStrictEqual(given.get(setting), defaultOf(setting, get)))
      .map(({ setting }) => setting.name)
    if (names.length > 0)
      yield `${names.join(', ')} can't take effect because ${enabled.name} is off. Set ${enabled.name} to true, or remove ${names.length === 1 ? 'the setting' : 'these settings'}.`
  }
}

function assemble(get: Get): AuthSettings {
  const settings: Record<string, unknown> = {}
  for (const group of Object.keys(GROUPS)) settings[group] = {}
  for (const { setting, group, key } of ALL_SETTINGS) {
    const target = group === null ? settings : settings[group]
    const value = freeze(get(setting))
    if (typeof target === 'object' && target !== null)
      Object.defineProperty(target, key, { value, enumerable: setting.secret !== true })
  }
  for (const group of Object.values(settings)) freeze(group)
  return Object.freeze(settings) as unknown as AuthSettings // built from the same rows as the type
}

/** Deeply freezes lists and plain objects. Leaves class instances alone. */
function freeze(value: unknown): unknown {
  if ((!Array.isArray(value) && !isRecord(value)) || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) freeze(inner)
  return value
}

/**
 * Reconciles settings that specify the same thing in two places.
 * @param given The settings that the caller passed.
 * @param set Replaces a value.
 */
function alignSettings(
  get: Get,
  given: ReadonlyMap<unknown, unknown>,
  set: <T, I>(setting: Setting<T, I>, value: T) => void,
): void {
  const { userTable, passwordValidators } = TOP
  const { userModelUsernameField, userModelEmailField, passwordMinLength } = GROUPS.account
  const table = get(userTable)
  const username = resolveColumn('username', table.columns, get(userModelUsernameField))
  const email = resolveColumn('email', table.columns, get(userModelEmailField))
  set(userTable, { ...table, columns: { ...table.columns, username, email } })
  set(userModelUsernameField, username)
  set(userModelEmailField, email)
  if (given.has(passwordMinLength) && !given.has(passwordValidators)) {
    const minLength = get(passwordMinLength)
    set(
      passwordValidators,
      DEFAULT_PASSWORD_RULES.map((rule) => (rule.id === 'minimum_length' ? { ...rule, minLength } : rule)),
    )
  }
}

/**
 * Returns the column of a field: the one in AUTH_USER_TABLE, or else the one in the field's older setting. `null` if
 * either is `null`.
 */
function resolveColumn(field: 'username' | 'email', columns: UserColumns, named: string | null): string | null {
  const column = columns[field]
  if (column === null || named === null) return null
  return column === field ? named : column
}

/** The given values by setting, and the problems with them. */
interface ReadInput {
  readonly given: ReadonlyMap<Setting<unknown, unknown>, unknown>
  readonly notes: readonly string[]
  readonly problems: readonly string[]
}

const NOT_AN_OBJECT = 'must be an object of settings.'

/** Reads every given setting. `undefined` counts as not given. Never throws. */
function readInput(input: unknown): ReadInput {
  const given = new Map<Setting<unknown, unknown>, unknown>()
  if (!isRecord(input)) return { given, notes: [], problems: [`The settings ${NOT_AN_OBJECT}`] }
  const problems = [...unknownKeys(input)]
  for (const placed of ALL_SETTINGS) {
    const { setting, path } = placed
    const written = valueAt(input, placed)
    if (written === undefined || (written === null && setting.kind.nullIsAbsent)) continue
    const reading = setting.kind.read(written)
    if ('problem' in reading) problems.push(`${setting.name} (${path}) ${reading.problem}.`)
    else given.set(setting, reading.value)
  }
  return { given, notes: checkNotes(input['notes'], problems), problems }
}

function valueAt(input: Readonly<Record<string, unknown>>, { group, key }: PlacedSetting): unknown {
  const holder = group === null ? input : readOwnProperty(input, group)
  return isRecord(holder) ? readOwnProperty(holder, key) : undefined
}

const readOwnProperty = (holder: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(holder, key) ? holder[key] : undefined

function checkNotes(notes: unknown, problems: string[]): readonly string[] {
  if (notes === undefined) return []
  if (Array.isArray(notes) && notes.every((note) => typeof note === 'string')) return notes
  problems.push('notes must be a list of sentences.')
  return []
}

function* unknownKeys(input: Readonly<Record<string, unknown>>): Generator<string> {
  const keys = new Set([...ALL_SETTINGS.filter(({ group }) => group === null).map(({ key }) => key), 'notes'])
  const groups = new Set(Object.keys(GROUPS))
  for (const [key, value] of Object.entries(input)) {
    if (!groups.has(key)) {
      if (!keys.has(key)) yield unknownKey(key, [...keys, ...groups])
      continue
    }
    if (value === undefined) continue
    if (!isRecord(value)) yield `${key} ${NOT_AN_OBJECT}`
    else yield* unknownInGroup(key, value)
  }
}

function* unknownInGroup(group: string, value: Readonly<Record<string, unknown>>): Generator<string> {
  const known = new Set(ALL_SETTINGS.filter((placed) => placed.group === group).map(({ path }) => path))
  for (const key of Object.keys(value)) if (!known.has(`${group}.${key}`)) yield unknownKey(`${group}.${key}`, known)
}

function unknownKey(path: string, known: Iterable<string>): string {
  const nearest = nearestName(path, known)
  return `${path.slice(0, 80)} is not a setting${nearest === null ? '.' : `; did you mean ${nearest}?`}`
}
