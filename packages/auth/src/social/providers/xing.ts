import type { OAuth1Record } from '../oauth1/record.ts'

/** Xing, OAuth 1.0a. */
export const xing = {
  id: 'xing',
  name: 'Xing',
  protocol: 'oauth1',
  source: 'https://dev.xing.com/docs/authentication',
  requestTokenUrl: 'https://api.xing.com/v1/request_token',
  authorizeUrl: 'https://www.xing.com/v1/authorize',
  accessTokenUrl: 'https://api.xing.com/v1/access_token',
  profile: { url: 'https://api.xing.com/v1/users/me.json', root: 'users[0]' },
  person: {
    uid: 'id',
    email: 'active_email',
    username: 'page_name',
    firstName: 'first_name',
    lastName: 'last_name',
  },
} satisfies OAuth1Record
