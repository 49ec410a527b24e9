import type { OAuth2Record } from '../oauth2/record.ts'

/** X, OAuth 2. */
export const twitterOauth2 = {
  id: 'twitter_oauth2',
  name: 'X',
  protocol: 'oauth2',
  source: 'https://docs.x.com/resources/fundamentals/authentication/oauth-2-0/authorization-code',
  endpoints: {
    authorize: 'https://x.com/i/oauth2/authorize',
    token: 'https://api.x.com/2/oauth2/token',
    profile: 'https://api.x.com/2/users/me',
  },
  settings: { FIELDS: 'id,name,username,verified,profile_image_url,created_at' },
  conforms: true,
  scopes: ['users.read', 'tweet.read'],
  clientAuth: 'basic',
  profile: { query: { 'user.fields': '{FIELDS}' }, headersSetting: 'HEADERS', root: 'data' },
  person: { uid: 'id', username: 'username', displayName: 'name' },
} satisfies OAuth2Record
