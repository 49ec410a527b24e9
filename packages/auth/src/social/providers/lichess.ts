import type { OAuth2Record } from '../oauth2/record.ts'

/** Lichess. */
export const lichess = {
  id: 'lichess',
  name: 'Lichess',
  protocol: 'oauth2',
  source: 'https://lichess.org/api#section/Introduction/Authentication',
  endpoints: {
    authorize: '{API_URL}/oauth',
    token: '{API_URL}/api/token',
    profile: '{API_URL}/api/account',
    email: '{API_URL}/api/account/email',
  },
  settings: { API_URL: 'https://lichess.org' },
  conforms: true,
  emailScopes: ['email:read'],
  profile: { token: { bearer: true, query: 'access_token' } },
  further: [{ when: 'email_wanted', into: '*', optional: [403] }],
  person: {
    uid: 'id',
    email: 'email',
    username: 'username',
    firstName: 'profile.firstName',
    lastName: 'profile.lastName',
  },
} satisfies OAuth2Record
