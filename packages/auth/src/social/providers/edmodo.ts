import type { OAuth2Record } from '../oauth2/record.ts'

/** Edmodo. */
export const edmodo = {
  id: 'edmodo',
  name: 'Edmodo',
  protocol: 'oauth2',
  source: 'https://developers.edmodo.com/edmodo-connect/docs/',
  endpoints: {
    authorize: 'https://api.edmodo.com/oauth/authorize',
    token: 'https://api.edmodo.com/oauth/token',
    profile: 'https://api.edmodo.com/users/me',
  },
  scopes: ['basic'],
  profile: { token: { query: 'access_token' } },
  stored: { copies: { user_type: 'type', profile_url: 'url', avatar_url: 'avatars.large' } },
  person: { uid: 'id', email: 'email', firstName: 'first_name', lastName: 'last_name' },
} satisfies OAuth2Record
