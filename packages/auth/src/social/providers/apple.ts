import type { OAuth2Record } from '../oauth2/record.ts'

/**
 * Apple. `key` of the app is the team id, `secret` the key id, `certificate_key` the private key; the client id may be
 * several, separated by commas: the first is that of this service.
 */
export const apple = {
  id: 'apple',
  name: 'Apple',
  protocol: 'oauth2',
  source: 'https://developer.apple.com/documentation/signinwithapplerestapi',
  endpoints: {
    authorize: 'https://appleid.apple.com/auth/authorize',
    token: 'https://appleid.apple.com/auth/token',
    jwks: 'https://appleid.apple.com/auth/keys',
    issuer: 'https://appleid.apple.com',
  },
  scopes: ['name'],
  emailScopes: ['email'],
  authorize: { responseType: 'code id_token', responseMode: 'form_post' },
  clientAuth: 'apple',
  cancelErrors: ['user_cancelled_authorize'],
  idToken: { algorithms: ['RS256', 'ES256'], nonce: true, isProfile: true },
  userInCallback: true,
  person: {
    uid: 'sub',
    email: 'email',
    emailVerified: 'email_verified',
    firstName: 'name.firstName',
    lastName: 'name.lastName',
  },
  givenToken: 'id_token',
} satisfies OAuth2Record
