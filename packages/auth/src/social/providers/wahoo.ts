import type { OAuth2Record } from '../oauth2/record.ts'

/** Wahoo. */
export const wahoo = {
  id: 'wahoo',
  name: 'Wahoo',
  protocol: 'oauth2',
  source: 'https://cloud-api.wahooligan.com/#authentication',
  endpoints: {
    authorize: 'https://api.wahooligan.com/oauth/authorize',
    token: 'https://api.wahooligan.com/oauth/token',
    profile: 'https://api.wahooligan.com/v1/user',
  },
  scopes: ['user_read'],
  emailScopes: ['email'],
  person: { uid: 'id', email: 'email' },
} satisfies OAuth2Record
