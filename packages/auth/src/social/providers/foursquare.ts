import type { OAuth2Record } from '../oauth2/record.ts'

/** Foursquare. */
export const foursquare = {
  id: 'foursquare',
  name: 'Foursquare',
  protocol: 'oauth2',
  source: 'https://docs.foursquare.com/developer/reference/authentication',
  endpoints: {
    authorize: 'https://foursquare.com/oauth2/authenticate',
    token: 'https://foursquare.com/oauth2/access_token',
    profile: 'https://api.foursquare.com/v2/users/self',
  },
  profile: { token: { query: 'oauth_token' }, query: { v: '20140116' }, root: 'response.user' },
  person: { uid: 'id', email: 'contact.email', firstName: 'firstname', lastName: 'lastname' },
} satisfies OAuth2Record
