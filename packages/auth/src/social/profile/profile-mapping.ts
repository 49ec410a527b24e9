import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { ProviderError, type ProviderEmail, type ProviderIdentity } from '../exchange.ts'
import { valueAt } from './profile-path.ts'

/** A path in a profile, as read by `valueAt`: `data.users[0].id`. */
export type ProfilePath = string

/**
 * Where to find a value in a profile: a path, several paths in order of preference, or a small pure function for the
 * rest.
 */
export type ProfileValue = ProfilePath | readonly ProfilePath[] | ((profile: JsonObject) => unknown)

/** Several addresses in a list of the profile. */
export interface ProfileEmailList {
  readonly list: ProfilePath
  /** Paths in an item; items can be plain texts too. */
  readonly email?: ProfilePath
  readonly verified?: ProfilePath
  readonly primary?: ProfilePath
}

/** Maps a provider's profile to an identity. */
export interface ProfileMapping {
  /** The immutable ID. The app's setting `uid_field` replaces it. */
  readonly uid: ProfileValue
  readonly email?: ProfileValue
  /**
   * Whether the provider reports the address as verified: `true` or `"true"`. Omitted: it doesn't report it; use
   * `VERIFIED_EMAIL` to trust such a provider.
   */
  readonly emailVerified?: ProfileValue
  readonly emails?: ProfileEmailList
  readonly username?: ProfileValue
  readonly firstName?: ProfileValue
  readonly lastName?: ProfileValue
  /** Full name. */
  readonly displayName?: ProfileValue
  readonly phone?: ProfileValue
}

/** An identity without the stored profile and the tokens. */
export type Person = Omit<ProviderIdentity, 'extraData' | 'tokens'>

/** Maximum number of addresses to read; no person has more. */
const MAX_EMAILS = 50

/**
 * Reads a profile.
 * @param uidField The setting `uid_field`: another path for the UID; empty if not set.
 * @throws {ProviderError} `unknown` without a UID
 */
export function mapProfile(profile: JsonObject, mapping: ProfileMapping, uidField: string = ''): Person {
  const uid = readProfileText(profile, uidField === '' ? mapping.uid : uidField)
  // Databases refuse NUL, and would store different lone surrogates as the same character.
  if (uid.trim() === '' || uid.includes('\0') || !uid.isWellFormed())
    throw new ProviderError('unknown', 'the profile has no id')
  const phone = readCleanProfileText(profile, mapping.phone)
  return {
    uid,
    username: readCleanProfileText(profile, mapping.username),
    firstName: readCleanProfileText(profile, mapping.firstName),
    lastName: readCleanProfileText(profile, mapping.lastName),
    name: readCleanProfileText(profile, mapping.displayName),
    emails: readProfileEmails(profile, mapping),
    phone: phone === '' ? null : { phone, verified: false },
  }
}

function readProfileEmails(profile: JsonObject, mapping: ProfileMapping): readonly ProviderEmail[] {
  const listed = readEmailList(profile, mapping.emails)
  const email = readCleanProfileText(profile, mapping.email)
  if (email === '' || listed.some((one) => one.email.toLowerCase() === email.toLowerCase())) return listed
  const verified = mapping.emailVerified !== undefined && isTruthyFlag(readProfileValue(profile, mapping.emailVerified))
  return [{ email, verified, primary: true }, ...listed]
}

function readEmailList(profile: JsonObject, emails: ProfileEmailList | undefined): readonly ProviderEmail[] {
  const list = emails === undefined ? undefined : valueAt(profile, emails.list)
  if (emails === undefined || !Array.isArray(list)) return []
  const flag = (item: unknown, path: ProfilePath | undefined) => path !== undefined && isTruthyFlag(valueAt(item, path))
  return list
    .slice(0, MAX_EMAILS)
    .map((item: unknown) => ({
      email: cleanProfileText(plainText(valueAt(item, emails.email ?? ''))),
      verified: flag(item, emails.verified),
      primary: flag(item, emails.primary),
    }))
    .filter(({ email }) => email !== '')
}

/** Returns whether a flag is set. Providers write flags as booleans, texts, or 1. */
const isTruthyFlag = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === 'string' && value.toLowerCase() === 'true')

function readProfileValue(profile: JsonObject, where: ProfileValue): unknown {
  if (typeof where === 'function') return where(profile)
  if (typeof where === 'string') return valueAt(profile, where)
  return where
    .map((path) => valueAt(profile, path))
    .find((value) => value !== undefined && value !== null && value !== '')
}

const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' && isExact(value) ? String(value) : ''

/** Returns whether a number is exact. Beyond 2^53, different integers parse to the same number. */
const isExact = (value: number): boolean =>
  Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))

const readProfileText = (profile: JsonObject, where: ProfileValue): string =>
  plainText(readProfileValue(profile, where))

/** Removes NUL, which databases refuse. */
const cleanProfileText = (text: string): string => text.replaceAll('\0', '').trim()

const readCleanProfileText = (profile: JsonObject, where: ProfileValue | undefined): string =>
  where === undefined ? '' : cleanProfileText(readProfileText(profile, where))
