import type { OAuth2Record } from '../oauth2/record.ts'

/** Reddit. It wants a `USER_AGENT` that tells app and author; `uid_field` can name `id` for new sites. */
export const reddit = {
  id: 'reddit',
  name: 'Reddit',
  protocol: 'oauth2',
  source: 'https://github.com/reddit-archive/reddit/wiki/OAuth2',
  endpoints: {
    authorize: 'https://www.reddit.com/api/v1/authorize',
    token: 'https://www.reddit.com/api/v1/access_token',
    profile: 'https://oauth.reddit.com/api/v1/me',
  },
  scopes: ['identity'],
  clientAuth: 'basic',
  person: { uid: 'name', username: 'name' },
} satisfies OAuth2Record
