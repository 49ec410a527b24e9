import type { OAuth2Record } from '../oauth2/record.ts'

/** Weibo. */
export const weibo = {
  id: 'weibo',
  name: 'Weibo',
  protocol: 'oauth2',
  source: 'https://open.weibo.com/wiki/Oauth2/access_token',
  endpoints: {
    authorize: 'https://api.weibo.com/oauth2/authorize',
    token: 'https://api.weibo.com/oauth2/access_token',
    profile: 'https://api.weibo.com/2/users/show.json',
  },
  profile: { token: { query: 'access_token' }, query: { uid: '{token.uid}' } },
  person: { uid: 'idstr', username: 'screen_name', displayName: 'name' },
} satisfies OAuth2Record
