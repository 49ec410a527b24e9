import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { ProviderError, type ProviderEmail, type ProviderIdentity } from '../exchange.ts'
import { valueAt } from './profile-path.ts'

/** A place in a profile, as `valueAt` reads it: `data.users[0].id`. */
export type ProfilePath = string

/**
 * Where a value is in a profile: a place, several of which the first that is there counts, or a small pure function
 * for what no place can say.
 */
export type ProfileValue = ProfilePath | readonly ProfilePath[] | ((profile: JsonObject) => unknown)

/** Several addresses in a list of the profile. */
export interface ProfileEmailList {
  readonly list: ProfilePath
  /** Members of an item; items may be plain texts too. */
  readonly email?: ProfilePath
  readonly verified?: ProfilePath
  readonly primary?: ProfilePath
}

/** Who somebody is, read from the profile of a provider. */
export interface ProfileMapping {
  /** The immutable id. The setting `uid_field` of an app names another place. */
  readonly uid: ProfileValue
  readonly email?: ProfileValue
  /**
   * Whether the provider says that it verified the address: `true` or `"true"`. Absent: it does not say, however
   * much it may be trusted; `VERIFIED_EMAIL` is there for that.
   */
  readonly emailVerified?: ProfileValue
  readonly emails?: ProfileEmailList
  readonly username?: ProfileValue
  readonly firstName?: ProfileValue
  readonly lastName?: ProfileValue
  /** In one piece. */
  readonly displayName?: ProfileValue
  readonly phone?: ProfileValue
}

/** Who somebody is, but for the stored profile and the tokens. */
export type Person = Omit<ProviderIdentity, 'extraData' | 'tokens'>

/** More addresses than these are no person's. */
const MOST_EMAILS = 50

/**
 * Reads a profile.
 * @param uidField The setting `uid_field`: another place of the uid; empty: none.
 * @throws {ProviderError} `unknown` when there is no uid
 */
export function personOf(profile: JsonObject, mapping: ProfileMapping, uidField: string = ''): Person {
  const uid = textOf(profile, uidField === '' ? mapping.uid : uidField)
  // Databases would refuse the one, and take several of the others for the same.
  if (uid.trim() === '' || uid.includes('\0') || !uid.isWellFormed())
    throw new ProviderError('unknown', 'the profile has no id')
  const phone = cleanTextOf(profile, mapping.phone)
  return {
    uid,
    username: cleanTextOf(profile, mapping.username),
    firstName: cleanTextOf(profile, mapping.firstName),
    lastName: cleanTextOf(profile, mapping.lastName),
    name: cleanTextOf(profile, mapping.displayName),
    emails: emailsOf(profile, mapping),
    phone: phone === '' ? null : { phone, verified: false },
  }
}

function emailsOf(profile: JsonObject, mapping: ProfileMapping): readonly ProviderEmail[] {
  const listed = listedEmailsOf(profile, mapping.emails)
  const email = cleanTextOf(profile, mapping.email)
  if (email === '' || listed.some((one) => one.email.toLowerCase() === email.toLowerCase())) return listed
  const verified = mapping.emailVerified !== undefined && saysYes(valueOf(profile, mapping.emailVerified))
  return [{ email, verified, primary: true }, ...listed]
}

function listedEmailsOf(profile: JsonObject, emails: ProfileEmailList | undefined): readonly ProviderEmail[] {
  const list = emails === undefined ? undefined : valueAt(profile, emails.list)
  if (emails === undefined || !Array.isArray(list)) return []
  const flag = (item: unknown, path: ProfilePath | undefined) => path !== undefined && saysYes(valueAt(item, path))
  return list
    .slice(0, MOST_EMAILS)
    .map((item: unknown) => ({
      email: cleaned(plainText(valueAt(item, emails.email ?? ''))),
      verified: flag(item, emails.verified),
      primary: flag(item, emails.primary),
    }))
    .filter(({ email }) => email !== '')
}

/** Providers write flags as booleans, as texts and as 1. */
const saysYes = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === 'string' && value.toLowerCase() === 'true')

function valueOf(profile: JsonObject, where: ProfileValue): unknown {
  if (typeof where === 'function') return where(profile)
  if (typeof where === 'string') return valueAt(profile, where)
  return where
    .map((path) => valueAt(profile, path))
    .find((value) => value !== undefined && value !== null && value !== '')
}

const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' && isExact(value) ? String(value) : ''

/** Beyond 2^53 different numbers read the same. */
const isExact = (value: number): boolean =>
  Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))

const textOf = (profile: JsonObject, where: ProfileValue): string => plainText(valueOf(profile, where))

/** Databases refuse NUL. */
const cleaned = (text: string): string => text.replaceAll('\0', '').trim()

const cleanTextOf = (profile: JsonObject, where: ProfileValue | undefined): string =>
  where === undefined ? '' : cleaned(textOf(profile, where))
