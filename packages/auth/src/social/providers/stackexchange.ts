import type { OAuth2Record } from '../oauth2/record.ts'

/** Stack Exchange; ids of users differ between its sites, that of the account does not. */
export const stackexchange = {
  id: 'stackexchange',
  name: 'Stack Exchange',
  protocol: 'oauth2',
  source: 'https://api.stackexchange.com/docs/authentication',
  endpoints: {
    authorize: 'https://stackexchange.com/oauth',
    token: 'https://stackexchange.com/oauth/access_token',
    profile: 'https://api.stackexchange.com/2.1/me',
  },
  settings: { SITE: 'stackoverflow' },
  profile: { token: { query: 'access_token' }, query: { key: '{app_key}', site: '{SITE}' }, root: 'items[0]' },
  person: { uid: 'account_id', username: 'display_name' },
} satisfies OAuth2Record
