import type { OAuth1Record } from '../oauth1/record.ts'

/** Tumblr, OAuth 1.0a. The id is the name of the first blog, which can change: `uid_field` can name `blogs[0].uuid`. */
export const tumblr = {
  id: 'tumblr',
  name: 'Tumblr',
  protocol: 'oauth1',
  source: 'https://www.tumblr.com/docs/en/api/v2#oauth1-authorization',
  requestTokenUrl: 'https://www.tumblr.com/oauth/request_token',
  authorizeUrl: 'https://www.tumblr.com/oauth/authorize',
  accessTokenUrl: 'https://www.tumblr.com/oauth/access_token',
  profile: { url: 'https://api.tumblr.com/v2/user/info', root: 'response.user' },
  person: { uid: 'name', firstName: 'name' },
} satisfies OAuth1Record
