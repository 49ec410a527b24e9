import type { OAuth2Record } from '../oauth2/record.ts'

/** Yahoo. */
export const yahoo = {
  id: 'yahoo',
  name: 'Yahoo',
  protocol: 'oauth2',
  source: 'https://developer.yahoo.com/sign-in-with-yahoo/',
  endpoints: {
    authorize: 'https://api.login.yahoo.com/oauth2/request_auth',
    token: 'https://api.login.yahoo.com/oauth2/get_token',
    profile: 'https://api.login.yahoo.com/openid/v1/userinfo',
  },
  scopes: ['profile', 'email'],
  person: {
    uid: 'sub',
    email: 'email',
    emailVerified: 'email_verified',
    firstName: 'given_name',
    lastName: 'family_name',
  },
} satisfies OAuth2Record
