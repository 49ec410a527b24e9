import type { OAuth1Record } from '../oauth1/record.ts'

/** X, OAuth 1.0a. */
export const twitter = {
  id: 'twitter',
  name: 'X',
  protocol: 'oauth1',
  source: 'https://docs.x.com/resources/fundamentals/authentication/oauth-1-0a/obtaining-user-access-tokens',
  requestTokenUrl: 'https://api.x.com/oauth/request_token',
  authorizeUrl: 'https://api.x.com/oauth/authenticate',
  accessTokenUrl: 'https://api.x.com/oauth/access_token',
  reauthenticateUrl: 'https://api.x.com/oauth/authorize',
  profile: {
    url: 'https://api.x.com/1.1/account/verify_credentials.json',
    emailParams: { include_email: 'true' },
  },
  person: { uid: 'id', email: 'email', username: 'screen_name', displayName: 'name' },
} satisfies OAuth1Record
