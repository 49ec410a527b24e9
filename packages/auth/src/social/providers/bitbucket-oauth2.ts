import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { OAuth2Record } from '../oauth2/record.ts'
import { textAt, valueAt } from '../profile/profile-path.ts'

/** The primary address. */
const primaryEmail = ({ emails }: JsonObject): string => {
  const list: readonly unknown[] = Array.isArray(emails) ? emails : []
  const primary = list.find((one) => valueAt(one, 'is_primary') === true)
  return textAt(primary, 'email')
}

/** Bitbucket. User names can be changed there: `uid_field` can name `uuid` for new sites. */
export const bitbucketOauth2 = {
  id: 'bitbucket_oauth2',
  name: 'Bitbucket',
  protocol: 'oauth2',
  source: 'https://developer.atlassian.com/cloud/bitbucket/oauth-2/',
  endpoints: {
    authorize: 'https://bitbucket.org/site/oauth2/authorize',
    token: 'https://bitbucket.org/site/oauth2/access_token',
    profile: 'https://api.bitbucket.org/2.0/user',
    email: 'https://api.bitbucket.org/2.0/user/emails',
  },
  profile: { token: { query: 'access_token' } },
  further: [
    { when: 'email_wanted', token: { query: 'access_token' }, root: 'values', into: 'emails', optional: [403] },
  ],
  stored: { without: ['emails'] },
  person: {
    uid: 'username',
    email: (profile) => primaryEmail(profile) || textAt(profile, 'email'),
    username: 'username',
    displayName: 'display_name',
  },
} satisfies OAuth2Record
