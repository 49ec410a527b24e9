import type { OAuth2Record } from '../oauth2/record.ts'

/**
 * Google. The id token is the profile; without one userinfo is read. A refresh token comes with `AUTH_PARAMS`
 * `access_type: offline`.
 */
export const google = {
  id: 'google',
  name: 'Google',
  protocol: 'oauth2',
  source: 'https://developers.google.com/identity/openid-connect/openid-connect',
  endpoints: {
    authorize: '{AUTHORIZE_URL}',
    token: '{ACCESS_TOKEN_URL}',
    profile: '{IDENTITY_URL}',
    jwks: '{CERTS_URL}',
    issuer: '{ID_TOKEN_ISSUER}',
  },
  settings: {
    AUTHORIZE_URL: 'https://accounts.google.com/o/oauth2/v2/auth',
    ACCESS_TOKEN_URL: 'https://oauth2.googleapis.com/token',
    IDENTITY_URL: 'https://www.googleapis.com/oauth2/v2/userinfo',
    CERTS_URL: 'https://www.googleapis.com/oauth2/v1/certs',
    ID_TOKEN_ISSUER: 'https://accounts.google.com',
  },
  conforms: true,
  scopes: ['profile'],
  emailScopes: ['email'],
  reauthenticate: { prompt: 'select_account consent' },
  idToken: { algorithms: ['RS256'], isProfile: true, fetches: { setting: 'FETCH_USERINFO', member: 'picture' } },
  person: {
    uid: ['sub', 'id'],
    email: 'email',
    emailVerified: ['email_verified', 'verified_email'],
    firstName: 'given_name',
    lastName: 'family_name',
  },
  givenToken: 'id_token',
} satisfies OAuth2Record
