import type { OAuth2Record } from '../oauth2/record.ts'

/** Tumblr, OAuth 2. The id is the name of the first blog, which can change: `uid_field` can name `blogs[0].uuid`. */
export const tumblrOauth2 = {
  id: 'tumblr_oauth2',
  name: 'Tumblr',
  protocol: 'oauth2',
  source: 'https://www.tumblr.com/docs/en/api/v2#oauth2-authorization',
  endpoints: {
    authorize: 'https://www.tumblr.com/oauth2/authorize',
    token: 'https://api.tumblr.com/v2/oauth2/token',
    profile: 'https://api.tumblr.com/v2/user/info',
  },
  scopes: ['read'],
  profile: { root: 'response.user' },
  person: { uid: 'name', firstName: 'name' },
} satisfies OAuth2Record
