import type { Account } from '../../account/account.ts'
import { foldText } from '../../account/email/clean-address.ts'
import { cleanPhoneNumber } from '../../account/phone/change.ts'
import { InvalidInput } from '../../errors.ts'
import { isEmailSyntax } from '../../kernel/forms/form.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { Visit } from '../../kernel/visit.ts'
import { type ProviderEmail, ProviderError, type ProviderIdentity } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import type { Social } from '../social-accounts.ts'
import type { SocialLogin, SocialState } from '../social-login.ts'

/** Maximum number of characters of a UID: the size of the column. */
const MAX_UID_LENGTH = 191
/** Maximum number of addresses to read. */
const MAX_ADDRESSES = 20
/** Maximum number of characters to read of names and usernames; columns are shorter. */
const MAX_NAME_LENGTH = 300
const MAX_EMAIL_LENGTH = 254

/**
 * Creates the social login to pass to hooks and signals. Stores nothing.
 * @throws {ProviderError} `unknown` without a usable ID
 */
export async function createSocialLogin(
  social: Social,
  request: Visit,
  provider: Provider,
  identity: ProviderIdentity,
  state: SocialState,
): Promise<SocialLogin> {
  const account = {
    id: null,
    userId: null,
    provider: provider.id,
    uid: requireUid(identity.uid),
    lastLoginMs: request.nowMs,
    dateJoinedMs: request.nowMs,
    extraData: cleanProfile(identity.extraData),
  }
  const emailAddresses = cleanEmails(social, provider, identity.emails)
  const phone = await cleanPhone(social.account, request, identity.phone)
  const sociallogin: SocialLogin = {
    app: provider.app,
    account,
    user: {},
    existingUser: null,
    emailAddresses,
    phone,
    tokens: identity.tokens,
    state,
    authenticatedByEmail: null,
    samlSubject: identity.samlSubject ?? null,
  }
  sociallogin.user = social.adapter.newUser(request, sociallogin)
  sociallogin.user = await social.adapter.populateUser(request, sociallogin, {
    username: cleanName(identity.username),
    email: emailAddresses[0]?.email ?? '',
    first_name: cleanName(identity.firstName),
    last_name: cleanName(identity.lastName),
    name: cleanName(identity.name),
    phone: phone?.phone ?? '',
  })
  return sociallogin
}

function requireUid(uid: string): string {
  const isUsable = uid !== '' && !uid.includes('\0') && uid.isWellFormed() && Array.from(uid).length <= MAX_UID_LENGTH
  if (!isUsable) throw new ProviderError('unknown', 'the provider has told no usable id')
  return uid
}

const cleanName = (text: string): string => cleanText(text.trim(), MAX_NAME_LENGTH)

/** Returns the addresses in lower case without duplicates, primary and verified ones first. */
function cleanEmails(social: Social, provider: Provider, emails: readonly ProviderEmail[]): readonly ProviderEmail[] {
  const merged = new Map<string, ProviderEmail>()
  for (const given of emails.slice(0, MAX_ADDRESSES)) {
    const email = foldText(given.email.trim())
    if (email.length > MAX_EMAIL_LENGTH || !isEmailSyntax(email)) continue
    const before = merged.get(email)
    const isTrusted = given.verified || social.adapter.isEmailVerified(provider, email)
    merged.set(email, {
      email,
      verified: (isTrusted && isSameAddress(given.email, email)) || (before?.verified ?? false),
      primary: given.primary || (before?.primary ?? false),
    })
  }
  return [...merged.values()].toSorted(
    (a, b) =>
      Number(b.primary) - Number(a.primary) || Number(b.verified) - Number(a.verified) || (a.email < b.email ? 1 : -1),
  )
}

/**
 * Returns whether the provider verified this exact address, ignoring ASCII case: a merely Unicode-equivalent one may
 * be another mailbox.
 * @see CVE-2019-19844
 */
const isSameAddress = (reported: string, email: string): boolean =>
  reported.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) === email

async function cleanPhone(
  account: Account,
  request: Visit,
  given: ProviderIdentity['phone'],
): Promise<ProviderIdentity['phone']> {
  if (given === null) return null
  try {
    return { phone: await cleanPhoneNumber(account, request, given.phone), verified: given.verified }
  } catch (error) {
    if (error instanceof InvalidInput) return null
    throw error
  }
}

/** Maximum characters of a text, members of an object or list, and levels to keep of a profile. */
const MAX_TEXT_LENGTH = 10_000
const MAX_MEMBERS = 500
const MAX_DEPTH = 12
/** Maximum number of characters of JSON. */
const MAX_JSON_LENGTH = 100_000

/** Returns untrusted text as a database accepts it: without NUL and lone surrogates, truncated to `max` characters. */
function cleanText(text: string, max: number): string {
  const clean = text.replaceAll('\0', '').toWellFormed()
  return clean.length <= max ? clean : Array.from(clean).slice(0, max).join('')
}

/** Returns a profile as stored: truncated if too long or deep; if still too large, only its short texts and numbers. */
export function cleanProfile(profile: JsonObject): JsonObject {
  const clean = cleanObject(profile, 0)
  if (JSON.stringify(clean).length <= MAX_JSON_LENGTH) return clean
  const short = Object.entries(clean).filter(([, value]) => isShort(value))
  return Object.fromEntries(short)
}

const isShort = (value: unknown): boolean =>
  typeof value === 'string' ? value.length <= 200 : typeof value === 'number' || typeof value === 'boolean'

function cleanObject(value: JsonObject, depth: number): JsonObject {
  const members = Object.entries(value).slice(0, MAX_MEMBERS)
  return Object.fromEntries(members.map(([name, member]) => [cleanText(name, 200), cleanValue(member, depth + 1)]))
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value, MAX_TEXT_LENGTH)
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (depth > MAX_DEPTH) return null
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map((item) => cleanValue(item, depth + 1))
  return isRecord(value) ? cleanObject(value, depth) : null
}

/** Maximum number of characters of a display text. */
const MAX_DISPLAY_LENGTH = 100

/** Names of profile members by meaning, the best first. */
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

/** Returns a profile's display text: username, address, or name, in this order; empty if all are missing. */
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

/** Returns a single line without invisible characters that could change how it reads, such as direction marks. */
const toDisplayLine = (text: string): string =>
  cleanText(text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), MAX_DISPLAY_LENGTH)
