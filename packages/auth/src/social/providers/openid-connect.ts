import type { OidcRecord } from '../openid-connect/record.ts'

/** OpenID Connect: any provider that conforms, one app for each. */
export const openidConnect = {
  id: 'openid_connect',
  name: 'OpenID Connect',
  protocol: 'oidc',
  source: 'https://openid.net/specs/openid-connect-core-1_0.html',
  scopes: ['openid', 'profile', 'email'],
  person: {
    uid: 'sub',
    email: 'email',
    emailVerified: 'email_verified',
    username: 'preferred_username',
    displayName: 'name',
    firstName: 'given_name',
    lastName: 'family_name',
  },
} satisfies OidcRecord
