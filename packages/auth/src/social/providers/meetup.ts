import type { OAuth2Record } from '../oauth2/record.ts'

/** Meetup. */
export const meetup = {
  id: 'meetup',
  name: 'Meetup',
  protocol: 'oauth2',
  source: 'https://www.meetup.com/api/authentication/',
  endpoints: {
    authorize: 'https://secure.meetup.com/oauth2/authorize',
    token: 'https://secure.meetup.com/oauth2/access',
    profile: 'https://api.meetup.com/2/member/self',
  },
  profile: { token: { query: 'access_token' } },
  person: { uid: 'id', email: 'email', displayName: 'name' },
} satisfies OAuth2Record
