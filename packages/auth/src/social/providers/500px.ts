import type { OAuth1Record } from '../oauth1/record.ts'

/** 500px, OAuth 1.0a. */
export const fiveHundredPx = {
  id: '500px',
  name: '500px',
  protocol: 'oauth1',
  source: 'https://github.com/500px/legacy-api-documentation/tree/master/authentication',
  requestTokenUrl: 'https://api.500px.com/v1/oauth/request_token',
  authorizeUrl: 'https://api.500px.com/v1/oauth/authorize',
  accessTokenUrl: 'https://api.500px.com/v1/oauth/access_token',
  profile: { url: 'https://api.500px.com/v1/users', root: 'user' },
  person: { uid: 'id', email: 'email', username: 'username', firstName: 'firstname', lastName: 'lastname' },
} satisfies OAuth1Record
