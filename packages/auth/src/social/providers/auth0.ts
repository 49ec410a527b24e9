import type { OAuth2Record } from '../oauth2/record.ts'

/** Auth0; `AUTH0_URL` is the address of the tenant. OpenID Connect suits it better. */
export const auth0 = {
  id: 'auth0',
  name: 'Auth0',
  protocol: 'oauth2',
  source: 'https://auth0.com/docs/api/authentication',
  endpoints: { authorize: '{AUTH0_URL}/authorize', token: '{AUTH0_URL}/oauth/token', profile: '{AUTH0_URL}/userinfo' },
  settings: { AUTH0_URL: {} },
  scopes: ['openid', 'profile', 'email'],
  profile: { token: { query: 'access_token' } },
  person: { uid: 'sub', email: 'email', username: 'username', displayName: 'name' },
} satisfies OAuth2Record
