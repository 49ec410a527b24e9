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
/** Where a profile may lie in what a provider tells. */
const ROOTS = ['userinfo', 'id_token', 'user', 'data', 'profile', 'response', 'attributes']

/** What a person is called by their profile: a user name before an address before a name. Empty: nothing is told. */
export function profileText(extraData: Readonly<Record<string, unknown>>): string {
  const nested = ROOTS.map((root) => extraData[root]).filter(isRecord)
  for (const profile of [extraData, ...nested]) {
    const text = textAmong(profile, NAMES) || [textAmong(profile, FIRST), textAmong(profile, LAST)].join(' ').trim()
    if (text !== '') return text
  }
  return ''
}

function textAmong(profile: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  for (const name of names) {
    const value = profile[name]
    const text = typeof value === 'string' ? oneLine(value) : ''
    if (text !== '') return text
  }
  return ''
}

/** In one line, without what could make it read as something else: marks of direction above all. */
const oneLine = (text: string): string =>
  cleanText(text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), LONGEST)
