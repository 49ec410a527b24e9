import type { OAuth1Record } from '../oauth1/record.ts'

/** Discogs, OAuth 1.0a. */
export const discogs = {
  id: 'discogs',
  name: 'discogs',
  protocol: 'oauth1',
  source: 'https://www.discogs.com/developers#page:authentication,header:authentication-oauth-flow',
  requestTokenUrl: 'https://api.discogs.com/oauth/request_token',
  authorizeUrl: 'https://discogs.com/oauth/authorize',
  accessTokenUrl: 'https://api.discogs.com/oauth/access_token',
  profile: { url: 'https://api.discogs.com/oauth/identity' },
  person: { uid: 'id' },
} satisfies OAuth1Record
