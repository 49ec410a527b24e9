import { AuthError } from '../../errors.ts'
import { alignSettings } from './align.ts'
import { settingProblems, settingWarnings } from './checks.ts'
import { isRecord } from './kind.ts'
import { readInput } from './read-input.ts'
import { ALL_SETTINGS, type AuthSettings, type AuthSettingsInput, GROUPS } from './setting-groups.ts'
import type { Get, Setting } from './setting.ts'

export type { AuthSettings, AuthSettingsInput } from './setting-groups.ts'

/** Settings that fit together, and what the operator should know about them: sentences without secrets. */
export interface ResolvedSettings {
  readonly settings: AuthSettings
  readonly warnings: readonly string[]
}

/**
 * Fills in defaults and checks forms, ranges and what must fit together; once, at start. The input is not written to.
 * @returns Frozen settings. Secret ones are not enumerable, so that printing or copying the object leaves them out.
 * @throws {AuthError} `settings_invalid`: its message names every problem.
 */
export function resolveSettings(input: AuthSettingsInput = {}): ResolvedSettings {
  const { given, notes, problems } = readInput(input)
  refuse(problems)
  const settings = assemble(valuesFrom(given))
  refuse(settingProblems(settings))
  return { settings, warnings: Object.freeze([...notes, ...settingWarnings(settings)]) }
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0)
    throw new AuthError('settings_invalid', { message: problems.join(' '), details: { problems: problems.length } })
}

/** Final values: given ones, else defaults, which may follow from other values. */
function valuesFrom(given: ReadonlyMap<Setting<unknown, unknown>, unknown>): Get {
  const values = new Map<unknown, unknown>()
  const get: Get = <T, I>(setting: Setting<T, I>): T => {
    if (!values.has(setting)) {
      const { fallback } = setting
      const isGiven = given.has(setting)
      const value = isGiven ? given.get(setting) : isDerived(fallback) ? fallback(get) : fallback
      const read = value as T // a given value is what this setting's own kind has read
      values.set(setting, setting.finish ? setting.finish(read, get) : read)
    }
    return values.get(setting) as T // stored above, under the same setting
  }
  alignSettings(get, given, (setting, value) => values.set(setting, value))
  return get
}

const isDerived = <T>(fallback: T | ((get: Get) => T)): fallback is (get: Get) => T => typeof fallback === 'function'

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

/** Freezes lists and plain objects, however deep; an object of a class stays its owner's. */
function freeze(value: unknown): unknown {
  if ((!Array.isArray(value) && !isRecord(value)) || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) freeze(inner)
  return value
}
