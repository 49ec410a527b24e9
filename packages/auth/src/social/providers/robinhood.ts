import type { OAuth2Record } from '../oauth2/record.ts'

/** Robinhood. */
export const robinhood = {
  id: 'robinhood',
  name: 'Robinhood',
  protocol: 'oauth2',
  source: 'https://robinhood.com/',
  endpoints: {
    authorize: 'https://www.robinhood.com/oauth2/authorize/',
    token: 'https://api.robinhood.com/oauth2/token/',
    profile: 'https://api.robinhood.com/user/id/',
  },
  scopes: ['read'],
  person: { uid: 'id', username: 'username' },
} satisfies OAuth2Record
