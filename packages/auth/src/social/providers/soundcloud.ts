import type { OAuth2Record } from '../oauth2/record.ts'

/** SoundCloud. */
export const soundcloud = {
  id: 'soundcloud',
  name: 'SoundCloud',
  protocol: 'oauth2',
  source: 'https://developers.soundcloud.com/docs/api/guide#authentication',
  endpoints: {
    authorize: 'https://soundcloud.com/connect',
    token: 'https://api.soundcloud.com/oauth2/token',
    profile: 'https://api.soundcloud.com/me.json',
  },
  profile: { token: { query: 'oauth_token' } },
  person: { uid: 'urn', email: 'email', username: 'username', displayName: 'full_name' },
} satisfies OAuth2Record
