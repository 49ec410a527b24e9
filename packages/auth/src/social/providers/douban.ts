import type { OAuth2Record } from '../oauth2/record.ts'

/** Douban. */
export const douban = {
  id: 'douban',
  name: 'Douban',
  protocol: 'oauth2',
  source: 'https://developers.douban.com/wiki/?title=oauth2',
  endpoints: {
    authorize: 'https://www.douban.com/service/auth2/auth',
    token: 'https://www.douban.com/service/auth2/token',
    profile: 'https://api.douban.com/v2/user/~me',
  },
  person: { uid: 'id', username: 'id', firstName: 'name' },
} satisfies OAuth2Record
