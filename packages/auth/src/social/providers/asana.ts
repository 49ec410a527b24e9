import type { OAuth2Record } from '../oauth2/record.ts'

/** Asana; `id` is what `gid` was called before. */
export const asana = {
  id: 'asana',
  name: 'Asana',
  protocol: 'oauth2',
  source: 'https://developers.asana.com/docs/oauth',
  endpoints: {
    authorize: 'https://app.asana.com/-/oauth_authorize',
    token: 'https://app.asana.com/-/oauth_token',
    profile: 'https://app.asana.com/api/1.0/users/me',
  },
  profile: { token: { query: 'access_token' }, root: 'data' },
  person: { uid: ['gid', 'id'], email: 'email', displayName: 'name' },
} satisfies OAuth2Record
