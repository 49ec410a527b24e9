import type { Social } from '../social-accounts.ts'
import type { Account } from '../../account/account.ts'
import { cleanPhoneNumber } from '../../account/phone/phone.ts'
import { foldText } from '../../account/email/same-text.ts'
import { InvalidInput } from '../../errors.ts'
import { isEmailSyntax } from '../../kernel/forms/email-syntax.ts'
import type { Visit } from '../../kernel/visit.ts'
import { cleanProfile, cleanText } from './clean-profile.ts'
import { type ProviderEmail, ProviderError, type ProviderIdentity } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import type { SocialLogin, SocialState } from '../social-login.ts'

/** Characters of the column, and the most addresses that are looked at. */
const LONGEST_UID = 191
const MOST_ADDRESSES = 20
/** Characters of names and user names that are looked at; columns are shorter. */
const LONGEST_NAME = 300
const LONGEST_EMAIL = 254

/**
 * Creates the social login that hooks and signals see. Stores nothing.
 * @throws {ProviderError} `unknown` without a usable id
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
  const isUsable = uid !== '' && !uid.includes('\0') && uid.isWellFormed() && Array.from(uid).length <= LONGEST_UID
  if (!isUsable) throw new ProviderError('unknown', 'the provider has told no usable id')
  return uid
}

const cleanName = (text: string): string => cleanText(text.trim(), LONGEST_NAME)

/** Lower case, each once, primary and verified ones first. */
function cleanEmails(social: Social, provider: Provider, emails: readonly ProviderEmail[]): readonly ProviderEmail[] {
  const merged = new Map<string, ProviderEmail>()
  for (const given of emails.slice(0, MOST_ADDRESSES)) {
    const email = foldText(given.email.trim())
    if (email.length > LONGEST_EMAIL || !isEmailSyntax(email)) continue
    const before = merged.get(email)
    const isProved = given.verified || social.adapter.isEmailVerified(provider, email)
    merged.set(email, {
      email,
      verified: (isProved && isSameAddress(given.email, email)) || (before?.verified ?? false),
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
const isSameAddress = (told: string, email: string): boolean =>
  told.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) === email

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
