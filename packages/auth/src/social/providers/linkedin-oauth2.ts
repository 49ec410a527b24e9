import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { OAuth2Record } from '../oauth2/record.ts'
import { textAt, valueAt } from '../profile/profile-path.ts'

/** A name in the language that somebody prefers, else in any. */
const localizedText =
  (member: 'firstName' | 'lastName') =>
  (profile: JsonObject): string => {
    const texts = valueAt(profile, `${member}.localized`)
    const wanted = `${textAt(profile, `${member}.preferredLocale.language`)}_${textAt(profile, `${member}.preferredLocale.country`)}`
    if (!isRecord(texts)) return textAt(profile, member)
    return textAt({ text: Object.hasOwn(texts, wanted) ? texts[wanted] : Object.values(texts)[0] }, 'text')
  }

/**
 * LinkedIn, by its older API; new apps use OpenID Connect. Its token endpoint refuses clients with a secret that send
 * a verifier of PKCE.
 */
export const linkedinOauth2 = {
  id: 'linkedin_oauth2',
  name: 'LinkedIn',
  protocol: 'oauth2',
  source: 'https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow',
  endpoints: {
    authorize: 'https://www.linkedin.com/oauth/v2/authorization',
    token: 'https://www.linkedin.com/oauth/v2/accessToken',
    profile: 'https://api.linkedin.com/v2/me',
    email: 'https://api.linkedin.com/v2/emailAddress?q=members&projection=(elements*(handle~))',
  },
  settings: { PROFILE_FIELDS: 'id,firstName,lastName' },
  scopes: ['r_liteprofile'],
  emailScopes: ['r_emailaddress'],
  pkce: 'off',
  cancelErrors: ['user_cancelled_login', 'user_cancelled_authorize'],
  tokenRequest: { method: 'GET' },
  profile: { search: 'projection=({PROFILE_FIELDS})', headersSetting: 'HEADERS' },
  further: [{ when: 'email_wanted', headersSetting: 'HEADERS', into: '*', optional: 'any' }],
  person: {
    uid: 'id',
    email: 'elements[0].handle~.emailAddress',
    firstName: localizedText('firstName'),
    lastName: localizedText('lastName'),
  },
} satisfies OAuth2Record
