import type { OAuth2Record } from '../oauth2/record.ts'

/** Zoho. */
export const zoho = {
  id: 'zoho',
  name: 'Zoho',
  protocol: 'oauth2',
  source: 'https://www.zoho.com/accounts/protocol/oauth.html',
  endpoints: {
    authorize: 'https://accounts.zoho.com/oauth/v2/auth',
    token: 'https://accounts.zoho.com/oauth/v2/token',
    profile: 'https://accounts.zoho.com/oauth/user/info',
  },
  scopes: ['aaaserver.profile.READ'],
  person: { uid: 'ZUID', email: 'Email', username: 'Display_Name', firstName: 'First_Name', lastName: 'Last_Name' },
} satisfies OAuth2Record
