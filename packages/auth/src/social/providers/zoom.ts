import type { OAuth2Record } from '../oauth2/record.ts'

/** Zoom. */
export const zoom = {
  id: 'zoom',
  name: 'Zoom',
  protocol: 'oauth2',
  source: 'https://developers.zoom.us/docs/integrations/oauth/',
  endpoints: {
    authorize: 'https://zoom.us/oauth/authorize',
    token: 'https://zoom.us/oauth/token',
    profile: 'https://api.zoom.us/v2/users/me',
  },
  conforms: true,
  person: { uid: 'id', email: 'email', emailVerified: 'verified', firstName: 'first_name', lastName: 'last_name' },
} satisfies OAuth2Record
