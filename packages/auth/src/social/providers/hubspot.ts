import type { OAuth2Record } from '../oauth2/record.ts'

/** HubSpot; what it tells about the token is the profile. */
export const hubspot = {
  id: 'hubspot',
  name: 'Hubspot',
  protocol: 'oauth2',
  source: 'https://developers.hubspot.com/docs/api/oauth-quickstart-guide',
  endpoints: {
    authorize: 'https://app.hubspot.com/oauth/authorize',
    token: 'https://api.hubapi.com/oauth/v1/token',
    profile: 'https://api.hubapi.com/oauth/v1/access-tokens/{access_token}',
  },
  scopes: ['oauth'],
  profile: { token: 'nowhere' },
  person: { uid: 'user_id', email: 'user' },
} satisfies OAuth2Record
