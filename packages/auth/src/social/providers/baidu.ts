import type { OAuth2Record } from '../oauth2/record.ts'

/** Baidu. */
export const baidu = {
  id: 'baidu',
  name: 'Baidu',
  protocol: 'oauth2',
  source: 'https://developer.baidu.com/wiki/index.php?title=docs/oauth',
  endpoints: {
    authorize: 'https://openapi.baidu.com/oauth/2.0/authorize',
    token: 'https://openapi.baidu.com/oauth/2.0/token',
    profile: 'https://openapi.baidu.com/rest/2.0/passport/users/getLoggedInUser',
  },
  profile: { token: { query: 'access_token' } },
  person: { uid: 'uid', username: 'uid', displayName: 'uname' },
} satisfies OAuth2Record
