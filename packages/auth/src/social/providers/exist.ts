import type { OAuth2Record } from '../oauth2/record.ts'

/** Exist.io. The id is the user name, which can change: `uid_field` can name `id` where the profile has one. */
export const exist = {
  id: 'exist',
  name: 'Exist.io',
  protocol: 'oauth2',
  source: 'https://developer.exist.io/reference/authentication/oauth2/',
  endpoints: {
    authorize: 'https://exist.io/oauth2/authorize',
    token: 'https://exist.io/oauth2/access_token',
    profile: 'https://exist.io/api/2/accounts/profile/',
  },
  scopes: ['mood_read', 'health_read', 'productivity_read'],
  person: { uid: 'username', username: 'username', firstName: 'first_name', lastName: 'last_name' },
} satisfies OAuth2Record
