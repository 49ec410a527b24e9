import type { OAuth2Record } from '../oauth2/record.ts'

/** LemonLDAP::NG; `sub` is stored as `id`. */
export const lemonldap = {
  id: 'lemonldap',
  name: 'LemonLDAP::NG',
  protocol: 'oauth2',
  source: 'https://lemonldap-ng.org/documentation/latest/idpopenidconnect.html',
  endpoints: {
    authorize: '{LEMONLDAP_URL}/oauth2/authorize',
    token: '{LEMONLDAP_URL}/oauth2/token',
    profile: '{LEMONLDAP_URL}/oauth2/userinfo',
  },
  settings: { LEMONLDAP_URL: {} },
  scopes: ['openid', 'profile', 'email'],
  profile: { method: 'POST' },
  stored: { copies: { id: 'sub' }, without: ['sub'] },
  person: { uid: 'sub', email: 'email', username: 'preferred_username', displayName: 'name' },
} satisfies OAuth2Record
