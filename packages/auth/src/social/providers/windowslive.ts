import type { OAuth2Record } from '../oauth2/record.ts'

/** Live Connect, which Microsoft accounts replaced. */
export const windowslive = {
  id: 'windowslive',
  name: 'Live',
  protocol: 'oauth2',
  source: 'https://learn.microsoft.com/en-us/previous-versions/office/developer/live-connect/',
  endpoints: {
    authorize: 'https://login.live.com/oauth20_authorize.srf',
    token: 'https://login.live.com/oauth20_token.srf',
    profile: 'https://apis.live.net/v5.0/me',
  },
  scopes: ['wl.basic', 'wl.emails'],
  person: { uid: 'id', email: 'emails.preferred', firstName: 'first_name', lastName: 'last_name' },
} satisfies OAuth2Record
