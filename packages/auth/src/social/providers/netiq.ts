import type { OAuth2Record } from '../oauth2/record.ts'

/** NetIQ. */
export const netiq = {
  id: 'netiq',
  name: 'NetIQ',
  protocol: 'oauth2',
  source:
    'https://www.microfocus.com/documentation/access-manager/developer-documentation-5.0/oauth-application-developer-guide/',
  endpoints: {
    authorize: '{NETIQ_URL}/nidp/oauth/nam/authz',
    token: '{NETIQ_URL}/nidp/oauth/nam/token',
    profile: '{NETIQ_URL}/nidp/oauth/nam/userinfo',
  },
  settings: { NETIQ_URL: {} },
  scopes: ['openid', 'profile', 'email'],
  person: { uid: 'sub', email: 'email', firstName: 'given_name', lastName: 'family_name' },
} satisfies OAuth2Record
