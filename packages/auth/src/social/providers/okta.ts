import type { OAuth2Record } from '../oauth2/record.ts'
import { beforeAt } from '../profile/profile-values.ts'

/** Okta; `OKTA_BASE_URL` is a host name. */
export const okta = {
  id: 'okta',
  name: 'Okta',
  protocol: 'oauth2',
  source: 'https://developer.okta.com/docs/reference/api/oidc/',
  endpoints: {
    authorize: 'https://{OKTA_BASE_URL}/oauth2/v1/authorize',
    token: 'https://{OKTA_BASE_URL}/oauth2/v1/token',
    profile: 'https://{OKTA_BASE_URL}/oauth2/v1/userinfo',
  },
  settings: { OKTA_BASE_URL: {} },
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  person: {
    uid: 'sub',
    email: 'email',
    emailVerified: 'email_verified',
    username: beforeAt('preferred_username'),
    firstName: 'given_name',
    lastName: 'family_name',
  },
} satisfies OAuth2Record
