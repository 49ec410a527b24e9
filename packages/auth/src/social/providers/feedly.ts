import type { OAuth2Record } from '../oauth2/record.ts'

/** Feedly. */
export const feedly = {
  id: 'feedly',
  name: 'Feedly',
  protocol: 'oauth2',
  source: 'https://developers.feedly.com/reference/authentication',
  endpoints: {
    authorize: 'https://{HOST}/v3/auth/auth',
    token: 'https://{HOST}/v3/auth/token',
    profile: 'https://{HOST}/v3/profile',
  },
  settings: { HOST: 'cloud.feedly.com' },
  scopes: ['https://cloud.feedly.com/subscriptions'],
  profile: { token: { scheme: 'OAuth' } },
  person: { uid: 'id', email: 'email', firstName: 'givenName', lastName: 'familyName' },
} satisfies OAuth2Record
