import type { OAuth2Record } from '../oauth2/record.ts'

/** Frontier. */
export const frontier = {
  id: 'frontier',
  name: 'Frontier',
  protocol: 'oauth2',
  source: 'https://user.frontierstore.net/developer/docs',
  endpoints: {
    authorize: 'https://auth.frontierstore.net/auth',
    token: 'https://auth.frontierstore.net/token',
    profile: 'https://auth.frontierstore.net/me',
  },
  scopes: ['auth', 'capi'],
  person: { uid: 'customer_id', email: 'email', username: 'email', firstName: 'firstname', lastName: 'lastname' },
} satisfies OAuth2Record
