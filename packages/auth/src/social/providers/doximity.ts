import type { OAuth2Record } from '../oauth2/record.ts'

/** Doximity. */
export const doximity = {
  id: 'doximity',
  name: 'Doximity',
  protocol: 'oauth2',
  source: 'https://www.doximity.com/developers/documentation',
  endpoints: {
    authorize: 'https://auth.doximity.com/oauth/authorize',
    token: 'https://auth.doximity.com/oauth/token',
    profile: 'https://www.doximity.com/api/v1/users/current',
  },
  scopes: ['basic', 'email'],
  person: {
    uid: 'id',
    email: 'email',
    username: 'email',
    firstName: 'firstname',
    lastName: 'lastname',
    displayName: 'full_name',
  },
} satisfies OAuth2Record
