import type { OAuth2Record } from '../oauth2/record.ts'

/** Eventbrite. */
export const eventbrite = {
  id: 'eventbrite',
  name: 'Eventbrite',
  protocol: 'oauth2',
  source: 'https://www.eventbrite.com/platform/api#/introduction/authentication',
  endpoints: {
    authorize: 'https://www.eventbrite.com/oauth/authorize',
    token: 'https://www.eventbrite.com/oauth/token',
    profile: 'https://www.eventbriteapi.com/v3/users/me/',
  },
  profile: { token: { query: 'token' } },
  person: {
    uid: 'id',
    emails: { list: 'emails', email: 'email', verified: 'verified', primary: 'primary' },
    firstName: 'first_name',
    lastName: 'last_name',
    displayName: 'name',
  },
} satisfies OAuth2Record
