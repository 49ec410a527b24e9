import type { OAuth2Record } from '../oauth2/record.ts'

/** Spotify. */
export const spotify = {
  id: 'spotify',
  name: 'Spotify',
  protocol: 'oauth2',
  source: 'https://developer.spotify.com/documentation/web-api/tutorials/code-flow',
  endpoints: {
    authorize: 'https://accounts.spotify.com/authorize',
    token: 'https://accounts.spotify.com/api/token',
    profile: 'https://api.spotify.com/v1/me',
  },
  conforms: true,
  emailScopes: ['user-read-email'],
  profile: { token: { query: 'access_token' } },
  person: { uid: 'id', email: 'email', displayName: 'display_name' },
} satisfies OAuth2Record
