import type { OAuth2Record } from '../oauth2/record.ts'

/** Discord. */
export const discord = {
  id: 'discord',
  name: 'Discord',
  protocol: 'oauth2',
  source: 'https://discord.com/developers/docs/topics/oauth2',
  endpoints: {
    authorize: 'https://discord.com/api/oauth2/authorize',
    token: 'https://discord.com/api/oauth2/token',
    profile: 'https://discord.com/api/users/@me',
  },
  conforms: true,
  scopes: ['email', 'identify'],
  reauthenticate: { prompt: 'consent' },
  person: { uid: 'id', email: 'email', emailVerified: 'verified', username: 'username', displayName: 'username' },
} satisfies OAuth2Record
