import { isDeepStrictEqual } from 'node:util'
import { AuthError } from '../../errors.ts'
import { ELSEWHERE, OLD, type Elsewhere, type OldSetting } from './old-names.ts'
import { isRecord, type Kind } from './kind.ts'
import { nearestName } from './setting.ts'
import { ALL_SETTINGS, type AuthSettingsInput, GROUPS, type PlacedSetting } from './setting-groups.ts'

type Known =
  | { readonly as: 'setting'; readonly placed: PlacedSetting }
  | { readonly as: 'old'; readonly old: OldSetting<unknown> }
  | { readonly as: 'elsewhere'; readonly elsewhere: Elsewhere }

const KNOWN: ReadonlyMap<string, Known> = new Map<string, Known>([
  ...ALL_SETTINGS.flatMap((placed) =>
    [placed.setting.name, ...(placed.setting.aliases ?? [])].map((name) => [name, { as: 'setting', placed }] as const),
  ),
  ...Object.values(OLD).flatMap((old) => [old.name, ...old.aliases].map((name) => [name, { as: 'old', old }] as const)),
  ...ELSEWHERE.map((elsewhere) => [elsewhere.name, { as: 'elsewhere', elsewhere }] as const),
])

/** The product's prefix in settings: ours, the placeholder in the reference, and the reference product's. */
const PRODUCT = /^(?:GATEPOST|AUTHPKG|ALLAUTH)_/
/** Prefixes of names that must be settings of this package. */
const OURS =
  /^(?:ACCOUNT|SOCIALACCOUNT|MFA|HEADLESS|USERSESSIONS|IDP_OIDC|EMAIL_CONFIRMATION|AUTHPKG|ALLAUTH|GATEPOST_HEADLESS)_/

/**
 * Returns a name with the prefix `GATEPOST_` in place of another product prefix, or without a prefix before
 * `HEADLESS_…`.
 */
function canonicalName(name: string): string {
  const bare = name.replace(PRODUCT, '')
  if (bare === name) return name
  return bare.startsWith('HEADLESS_') ? bare : `GATEPOST_${bare}`
}

/** The value given for a setting, and the names used. */
interface Entry {
  readonly placed: PlacedSetting
  readonly names: readonly string[]
  /** The value as a caller of `resolveSettings` would write it. */
  readonly written: unknown
  /** The value that the setting's kind read. */
  readonly read: unknown
}

interface Reader {
  readonly entries: Map<PlacedSetting, Entry>
  readonly old: Map<OldSetting<unknown>, unknown>
  readonly notes: string[]
  readonly problems: string[]
}

/**
 * Returns settings from their upper-case names, as in an existing site's settings module, with typed values or with
 * text as in environments (`email,username`; `true`, `1`, `on`; JSON for objects). Translates old names and ignores
 * foreign names, so you can pass the whole module.
 * @throws {AuthError} `settings_invalid`: its message lists every problem, including unknown names with this package's
 *   prefix
 */
export function settingsFromNames(names: Readonly<Record<string, unknown>>): AuthSettingsInput {
  const reader: Reader = { entries: new Map(), old: new Map(), notes: [], problems: [] }
  for (const [name, value] of Object.entries(names)) if (value !== undefined) readName(reader, name, value)
  for (const translation of translateOld(readOldValues(reader), verifiesByCode(reader)))
    addTranslation(reader, translation)
  const { problems } = reader
  if (problems.length > 0)
    throw new AuthError('settings_invalid', { message: problems.join(' '), details: { problems: problems.length } })
  return toInput(reader)
}

/** Variables that container platforms set for services, e.g. `ACCOUNT_SERVICE_HOST` or `ACCOUNT_PORT_80_TCP`. */
const SERVICE = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP)(?:_\w+)?)?)$/

/**
 * Returns settings from the environment: as `settingsFromNames`, but empty values count as unset, and a name that
 * merely starts like one of this package's (a host's `ACCOUNT_ID`) is ignored with a note, unless it looks like a
 * typo.
 * @throws {AuthError} `settings_invalid`, listing every problem
 */
export function settingsFromEnvironment(env: Readonly<Record<string, string | undefined>>): AuthSettingsInput {
  const set = Object.entries(env).filter(
    ([name, value]) => value !== undefined && value !== '' && (KNOWN.has(canonicalName(name)) || !SERVICE.test(name)),
  )
  const strays = set.map(([name]) => name).filter(isMisspelledSetting)
  const input = settingsFromNames(Object.fromEntries(set.filter(([name]) => !strays.includes(name))))
  const notes = strays.map((name) => `${name.slice(0, 80)} isn't a setting of this package and is ignored.`)
  return { ...input, notes: [...(input.notes ?? []), ...notes] }
}

const isMisspelledSetting = (name: string): boolean =>
  OURS.test(name) && !KNOWN.has(canonicalName(name)) && nearestName(canonicalName(name), KNOWN.keys(), 3) === null

function readName(reader: Reader, name: string, value: unknown): void {
  const known = KNOWN.get(canonicalName(name))
  if (known === undefined) refuseUnknown(reader, name)
  else if (known.as === 'setting') readSetting(reader, name, known.placed, value)
  else if (known.as === 'old') readOld(reader, name, known.old, value)
  else if (!known.elsewhere.isHarmless(value))
    reader.problems.push(`${name} isn't supported. ${known.elsewhere.instead}`)
}

function refuseUnknown({ problems }: Reader, name: string): void {
  const isOurs = OURS.test(name)
  if (!isOurs && !PRODUCT.test(name)) return
  // Other parts of the product have their own names, so only a name that's very close to one of ours is a typo.
  const nearest = nearestName(canonicalName(name), KNOWN.keys(), isOurs ? Infinity : 2)
  if (isOurs || nearest !== null)
    problems.push(`${name.slice(0, 80)} is not a setting${nearest === null ? '.' : `; did you mean ${nearest}?`}`)
}

/** Converts text as if it came from the environment. Other values stay as they are. */
const writtenValue = (kind: Kind<unknown>, value: unknown): unknown =>
  typeof value === 'string' ? kind.fromText(value) : value

function readSetting({ entries, notes, problems }: Reader, name: string, placed: PlacedSetting, value: unknown): void {
  const { kind } = placed.setting
  const written = writtenValue(kind, value)
  if (written === null && kind.nullIsAbsent) return
  const reading = kind.read(written)
  if ('problem' in reading) {
    problems.push(`${name} ${reading.problem}.`)
    return
  }
  if (placed.setting.old !== undefined) notes.push(`${name} is deprecated. ${placed.setting.old}`)
  if (typeof written === 'boolean' && typeof reading.value === 'string')
    notes.push(`${name}: true and false are deprecated. Use ${name}=${reading.value} instead.`)
  const before = entries.get(placed)
  if (before && !isDeepStrictEqual(before.read, reading.value))
    problems.push(`${before.names.join(', ')} and ${name} are names of the same setting but have different values.`)
  else entries.set(placed, { placed, names: [...(before?.names ?? []), name], written, read: reading.value })
}

function readOld({ old, problems }: Reader, name: string, row: OldSetting<unknown>, value: unknown): void {
  const reading = row.kind.read(writtenValue(row.kind, value))
  if ('problem' in reading) problems.push(`${name} ${reading.problem}.`)
  else if (old.has(row) && old.get(row) !== reading.value)
    problems.push(`${[row.name, ...row.aliases].join(' and ')} have different values.`)
  else old.set(row, reading.value)
}

const readOldValues = ({ old }: Reader): OldValues => ({
  get: <T>(row: OldSetting<T>) => old.get(row) as T | undefined, // stored under its row, read by that row's kind
})

const findEntry = ({ entries }: Reader, name: string): Entry | undefined =>
  [...entries.values()].find(({ placed }) => placed.setting.name === name)

const verifiesByCode = (reader: Reader): boolean =>
  findEntry(reader, 'ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED')?.read === true

function addTranslation(reader: Reader, translation: Translation): void {
  const { name, from, shown, wins } = translation
  const known = KNOWN.get(name)
  if (known?.as !== 'setting') return
  const before = findEntry(reader, name)
  const isRates = name === 'ACCOUNT_RATE_LIMITS'
  const written = isRates && before ? joinRates(before.written, translation.value) : translation.value
  const reading = known.placed.setting.kind.read(written)
  if (
    written === null ||
    'problem' in reading ||
    (before && !isRates && !wins && !areEquivalent(before.read, reading.value))
  )
    reader.problems.push(`${from.join(', ')} (deprecated) conflicts with ${name}: it would mean ${shown}.`)
  else {
    reader.notes.push(`${from.join(', ')}: deprecated. Use ${name}=${shown} instead.`)
    const read = reading.value
    if (!before || isRates || wins)
      reader.entries.set(known.placed, { placed: known.placed, names: from, written, read })
  }
}

/** Returns whether two values are equal, ignoring the order of lists. */
function areEquivalent(one: unknown, other: unknown): boolean {
  const ordered = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((entry) => JSON.stringify(entry)).toSorted() : value
  return isDeepStrictEqual(ordered(one), ordered(other))
}

function toInput({ entries, notes }: Reader): AuthSettingsInput {
  const input: Record<string, unknown> = { notes }
  for (const group of Object.keys(GROUPS)) input[group] = {}
  for (const { placed, written } of entries.values()) {
    const target = placed.group === null ? input : input[placed.group]
    if (typeof target === 'object' && target !== null) Object.assign(target, { [placed.key]: written })
  }
  return input
}

/** The given values of old settings. */
interface OldValues {
  get<T>(old: OldSetting<T>): T | undefined
}

/** An old setting translated to a current one. */
interface Translation {
  /** The current upper-case name. */
  readonly name: string
  /** The old names in use, as in the reference. */
  readonly from: readonly string[]
  readonly value: unknown
  /** The value as text for the environment. */
  readonly shown: string
  /** Set if it overrides the current setting instead of having to match it. */
  readonly wins?: true
}

/** Translates the old settings in use to current ones. @see reference, section 1.3, deprecated settings */
function* translateOld(old: OldValues, byCode: boolean): Generator<Translation> {
  const method = old.get(OLD.authenticationMethod)
  if (method !== undefined)
    yield list(OLD.authenticationMethod.becomes, [OLD.authenticationMethod.name], method.split('_'))
  yield* translateSignupFields(old)
  yield* translateFailedLogins(old)
  const cooldown = old.get(OLD.confirmationCooldown)
  if (cooldown !== undefined && !byCode)
    yield toRateTranslation('confirm_email', cooldown === 0 ? null : `1/${cooldown}s/key`, [
      OLD.confirmationCooldown.name,
    ])
  const redirect = old.get(OLD.loginRedirectUrlname)
  if (redirect !== undefined) yield { ...translateDirectly(OLD.loginRedirectUrlname, redirect), wins: true }
  const days = old.get(OLD.confirmationDays)
  if (days !== undefined) yield translateDirectly(OLD.confirmationDays, days)
}

const translateDirectly = ({ name, becomes }: OldSetting<string | number>, value: string | number): Translation => ({
  name: becomes,
  from: [name],
  value,
  shown: String(value),
})

const list = (name: string, from: readonly string[], value: readonly string[]): Translation => ({
  name,
  from,
  value,
  shown: value.join(','),
})

function* translateSignupFields(old: OldValues): Generator<Translation> {
  const rows = [OLD.emailRequired, OLD.usernameRequired, OLD.emailTwice, OLD.passwordTwice]
  const used = rows.filter((row) => old.get(row) !== undefined).map(({ name }) => name)
  if (used.length === 0) return
  const star = old.get(OLD.emailRequired) ? '*' : ''
  yield list(OLD.emailRequired.becomes, used, [
    `email${star}`,
    ...(old.get(OLD.emailTwice) ? [`email2${star}`] : []),
    ...((old.get(OLD.usernameRequired) ?? true) ? ['username*'] : []),
    'password1*',
    ...((old.get(OLD.passwordTwice) ?? true) ? ['password2*'] : []),
  ])
}

function* translateFailedLogins(old: OldValues): Generator<Translation> {
  const used = [OLD.attemptsLimit, OLD.attemptsTimeout].filter((row) => old.get(row) !== undefined)
  if (used.length === 0) return
  const limit = old.get(OLD.attemptsLimit) ?? 5
  const timeout = old.get(OLD.attemptsTimeout) ?? 300
  const rates = limit === 0 || timeout === 0 ? null : `10/m/ip,${limit}/${timeout}s/key`
  yield toRateTranslation(
    'login_failed',
    rates,
    used.map(({ name }) => name),
  )
}

const toRateTranslation = (action: string, rates: string | null, from: readonly string[]): Translation => ({
  name: OLD.attemptsLimit.becomes,
  from,
  value: { [action]: rates },
  shown: JSON.stringify({ [action]: rates }),
})

/** Merges two objects of rate limits, or returns `null` if they conflict. */
function joinRates(written: unknown, translated: unknown): unknown {
  if (!isRecord(written) || !isRecord(translated)) return written === false ? false : null
  const both = Object.keys(translated).filter((action) => Object.hasOwn(written, action))
  if (both.some((action) => written[action] !== translated[action])) return null
  return { ...translated, ...written }
}
