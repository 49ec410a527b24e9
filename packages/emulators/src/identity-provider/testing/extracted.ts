import { createHash } from 'node:crypto'
import type { ExpectedPerson } from '../emulator.ts'
import { readText, type ProviderRecord } from './provider-records.ts'

type Json = Readonly<Record<string, unknown>>

/** Paths for what records describe in words. */
const IN_WORDS: Readonly<Record<string, Partial<ProviderRecord>>> = {
  agave: { uid: 'username' }, // the record has the time of sign-up, which isn't an id
  authentiq: { email_verified: 'email_verified' },
  cilogon: { email_verified: 'verified_email' },
  clever: { username: 'data.roles.student.credentials.district_username' },
  lemonldap: { uid: 'sub' },
  line: { username: 'userId' },
  linkedin_oauth2: {
    email: 'elements[0].handle~.emailAddress',
    first_name: 'firstName.localized.de_DE',
    last_name: 'lastName.localized.fr_FR',
  },
  mediawiki: { email: 'email' },
  miro: { email_verified: 'state' },
  netiq: { uid: 'sub' },
  openid_connect: { uid: 'sub' },
  pinterest: { uid: 'data.id', username: null, first_name: 'data.first_name', last_name: 'data.last_name' },
  shopify: { uid: 'shop.id', email: 'shop.email', email_verified: false, first_name: null, last_name: null },
  slack: { email: 'email' },
}

/** Values that no path can express. */
const BY_HAND: Readonly<Record<string, (profile: Json) => Partial<ExpectedPerson>>> = {
  amazon: ({ name }) => ({ firstName: String(name).split(' ')[0] ?? '', lastName: String(name).split(' ')[1] ?? '' }),
  dataporten: ({ userid_sec }) => ({ username: /^feide:([^@]+)@/.exec(String(userid_sec))?.[1] ?? null }),
  drip: ({ email }) => ({ uid: createHash('sha256').update(String(email)).digest('hex') }),
  gumroad: ({ url }) => ({ username: String(url).split('/').at(-1) ?? null }),
  okta: ({ sub, preferred_username }) => ({
    uid: String(sub),
    username: String(preferred_username).split('@')[0] ?? null,
  }),
  slack: (profile) => ({
    uid: `${String(profile['https://slack.com/team_id'])}_${String(profile['https://slack.com/user_id'])}`,
  }),
  vimeo_oauth2: ({ uri }) => ({ uid: String(uri).split('/').at(-1) ?? '' }),
}

/** Returns what a record reads from a profile. */
export function extractProfile(given: ProviderRecord, profile: Json): ExpectedPerson {
  const record = { ...given, ...IN_WORDS[given.id] }
  const email = readText(profile, record.email)
  const said = record.email_verified
  const isVerified =
    typeof said === 'string' && email !== null && /^(?:true|1|registered)$/.test(readText(profile, said) ?? '')
  return {
    uid: readText(profile, record.uid) ?? '',
    email,
    emailVerified: isVerified,
    username: readText(profile, record.username),
    firstName: readText(profile, record.first_name),
    lastName: readText(profile, record.last_name),
    name: readText(profile, record.display_name),
    ...BY_HAND[record.id]?.(profile),
  }
}
