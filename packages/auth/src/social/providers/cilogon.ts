import type { OAuth2Record } from '../oauth2/record.ts'

/** CILogon. */
export const cilogon = {
  id: 'cilogon',
  name: 'CILogon',
  protocol: 'oauth2',
  source: 'https://www.cilogon.org/oidc',
  endpoints: {
    authorize: 'https://cilogon.org/authorize',
    token: 'https://cilogon.org/oauth2/token',
    profile: 'https://cilogon.org/oauth2/userinfo',
  },
  scopes: ['profile', 'org.cilogon.userinfo', 'openid'],
  emailScopes: ['email'],
  reauthenticate: { prompt: 'select_account consent' },
  profile: { token: { query: 'access_token' }, query: { alt: 'json' } },
  person: {
    uid: 'sub',
    email: 'email',
    emailVerified: 'verified_email',
    firstName: 'given_name',
    lastName: 'family_name',
  },
} satisfies OAuth2Record
