import type { OAuth2Record } from '../oauth2/record.ts'

/** Bitly. The id is the login name, which can change; its profile has no other. */
export const bitly = {
  id: 'bitly',
  name: 'Bitly',
  protocol: 'oauth2',
  source: 'https://dev.bitly.com/docs/getting-started/authentication/',
  endpoints: {
    authorize: 'https://bitly.com/oauth/authorize',
    token: 'https://api-ssl.bitly.com/oauth/access_token',
    profile: 'https://api-ssl.bitly.com/v3/user/info',
  },
  profile: { token: { query: 'access_token' }, root: 'data' },
  person: { uid: 'login', username: 'login', displayName: 'full_name' },
} satisfies OAuth2Record
