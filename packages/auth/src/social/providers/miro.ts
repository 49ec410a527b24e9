import type { OAuth2Record } from '../oauth2/record.ts'

/** Miro. */
export const miro = {
  id: 'miro',
  name: 'Miro',
  protocol: 'oauth2',
  source: 'https://developers.miro.com/docs/getting-started-with-oauth',
  endpoints: {
    authorize: 'https://miro.com/oauth/authorize',
    token: 'https://api.miro.com/v1/oauth/token',
    profile: 'https://api.miro.com/v1/users/me',
  },
  scopes: ['identity:read'],
  person: {
    uid: 'id',
    email: 'email',
    emailVerified: (profile) => profile['state'] === 'registered',
    displayName: 'name',
  },
} satisfies OAuth2Record
