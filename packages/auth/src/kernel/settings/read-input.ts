import { isRecord } from './kind.ts'
import { nearestName } from './nearest-name.ts'
import type { Setting } from './setting.ts'
import { ALL_SETTINGS, GROUPS, type PlacedSetting } from './setting-groups.ts'

/** What a caller wrote, by setting, and what is wrong with it: sentences. */
export interface ReadInput {
  readonly given: ReadonlyMap<Setting<unknown, unknown>, unknown>
  readonly notes: readonly string[]
  readonly problems: readonly string[]
}

const NOT_AN_OBJECT = 'must be an object of settings.'

/** Reads every given setting by its kind. `undefined` counts as not given. Never throws. */
export function readInput(input: unknown): ReadInput {
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
  return { given, notes: notesOf(input['notes'], problems), problems }
}

function valueAt(input: Readonly<Record<string, unknown>>, { group, key }: PlacedSetting): unknown {
  const holder = group === null ? input : own(input, group)
  return isRecord(holder) ? own(holder, key) : undefined
}

const own = (holder: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(holder, key) ? holder[key] : undefined

function notesOf(notes: unknown, problems: string[]): readonly string[] {
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
