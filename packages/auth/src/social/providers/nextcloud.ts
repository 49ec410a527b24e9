import type { OAuth2Record } from '../oauth2/record.ts'

/** NextCloud; `SERVER` is the address of the server, which everybody has their own of. */
export const nextcloud = {
  id: 'nextcloud',
  name: 'NextCloud',
  protocol: 'oauth2',
  source: 'https://docs.nextcloud.com/server/latest/admin_manual/configuration_server/oauth2.html',
  endpoints: {
    authorize: '{SERVER}/apps/oauth2/authorize',
    token: '{SERVER}/apps/oauth2/api/v1/token',
    profile: '{SERVER}/ocs/v1.php/cloud/users/{token.user_id}?format=json',
  },
  settings: { SERVER: {} },
  scopes: ['read'],
  profile: { root: 'ocs.data' },
  person: { uid: 'id', email: 'email', username: 'displayname' },
} satisfies OAuth2Record
