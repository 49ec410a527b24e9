import type { OAuth2Record } from '../oauth2/record.ts'
import { joinTexts } from '../profile/profile-values.ts'

/** Strava; its scopes are one text with commas. */
export const strava = {
  id: 'strava',
  name: 'Strava',
  protocol: 'oauth2',
  source: 'https://developers.strava.com/docs/authentication/',
  endpoints: {
    authorize: 'https://www.strava.com/oauth/authorize',
    token: 'https://www.strava.com/oauth/token',
    profile: 'https://www.strava.com/api/v3/athlete',
  },
  scopes: ['read,activity:read'],
  person: {
    uid: 'id',
    email: 'email',
    username: 'username',
    firstName: 'firstname',
    lastName: 'lastname',
    displayName: joinTexts('firstname', 'lastname'),
  },
} satisfies OAuth2Record
