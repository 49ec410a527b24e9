import { isRecord } from '../../kernel/settings/kind.ts'
import { cleanText } from '../login/clean-profile.ts'

/** Characters of the text. */
const LONGEST = 100

/** Members of profiles by what they are, the best first. */
const NAMES = [
  ['username', 'userName', 'user_name', 'preferred_username', 'login', 'handle'],
  ['email', 'Email', 'mail', 'email_address'],
  ['name', 'display_name', 'displayName', 'displayname', 'Display_Name', 'nickname'],
  ['full_name', 'fullName'],
].flat()
const FIRST = ['first_name', 'firstname', 'firstName', 'First_Name', 'given_name', 'givenName']
const LAST = ['last_name', 'lastname', 'lastName', 'Last_Name', 'family_name', 'familyName', 'surname']
/** Members of a provider's data that may contain the profile. */
const ROOTS = ['userinfo', 'id_token', 'user', 'data', 'profile', 'response', 'attributes']

/** Returns a profile's display text: user name, then address, then name; empty if all are missing. */
export function profileText(extraData: Readonly<Record<string, unknown>>): string {
  const nested = ROOTS.map((root) => extraData[root]).filter(isRecord)
  for (const profile of [extraData, ...nested]) {
    const text =
      findFirstText(profile, NAMES) || [findFirstText(profile, FIRST), findFirstText(profile, LAST)].join(' ').trim()
    if (text !== '') return text
  }
  return ''
}

function findFirstText(profile: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  for (const name of names) {
    const value = profile[name]
    const text = typeof value === 'string' ? toDisplayLine(value) : ''
    if (text !== '') return text
  }
  return ''
}

/** In one line, without what could make it read as something else: marks of direction above all. */
const toDisplayLine = (text: string): string =>
  cleanText(text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), LONGEST)
