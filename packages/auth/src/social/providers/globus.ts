import type { OAuth2Record } from '../oauth2/record.ts'

/** Globus. */
export const globus = {
  id: 'globus',
  name: 'Globus',
  protocol: 'oauth2',
  source: 'https://docs.globus.org/api/auth/reference/',
  endpoints: {
    authorize: 'https://auth.globus.org/v2/oauth2/authorize',
    token: 'https://auth.globus.org/v2/oauth2/token',
    profile: 'https://auth.globus.org/v2/oauth2/userinfo',
  },
  scopes: ['openid', 'profile', 'offline_access'],
  emailScopes: ['email'],
  profile: { token: { bearer: true, query: 'access_token' } },
  person: { uid: 'sub', email: 'email', username: 'preferred_username', displayName: 'name' },
} satisfies OAuth2Record
