import type { OAuth2Record } from '../oauth2/record.ts'

/** Twitch. */
export const twitch = {
  id: 'twitch',
  name: 'Twitch',
  protocol: 'oauth2',
  source: 'https://dev.twitch.tv/docs/authentication/getting-tokens-oauth/',
  endpoints: {
    authorize: 'https://id.twitch.tv/oauth2/authorize',
    token: 'https://id.twitch.tv/oauth2/token',
    profile: 'https://api.twitch.tv/helix/users',
  },
  scopes: ['user:read:email'],
  profile: { headers: { 'client-id': '{client_id}' }, root: 'data[0]' },
  person: { uid: 'id', email: 'email', username: 'login', displayName: 'display_name' },
} satisfies OAuth2Record
