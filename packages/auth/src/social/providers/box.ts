import type { OAuth2Record } from '../oauth2/record.ts'

/** Box. */
export const box = {
  id: 'box',
  name: 'Box',
  protocol: 'oauth2',
  source: 'https://developer.box.com/guides/authentication/oauth2/',
  endpoints: {
    authorize: 'https://account.box.com/api/oauth2/authorize',
    token: 'https://api.box.com/oauth2/token',
    profile: 'https://api.box.com/2.0/users/me',
  },
  conforms: true,
  profile: { token: { query: 'access_token' } },
  person: { uid: 'id', email: 'email', displayName: 'display_name' },
} satisfies OAuth2Record
