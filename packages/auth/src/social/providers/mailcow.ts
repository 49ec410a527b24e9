import type { OAuth2Record } from '../oauth2/record.ts'

/** Mailcow; the code goes along with the profile request. */
export const mailcow = {
  id: 'mailcow',
  name: 'Mailcow',
  protocol: 'oauth2',
  source: 'https://docs.mailcow.email/third_party/oauth2/',
  endpoints: {
    authorize: '{SERVER}/oauth/authorize',
    token: '{SERVER}/oauth/token',
    profile: '{SERVER}/oauth/profile',
  },
  settings: { SERVER: 'https://hosted.mailcow.de' },
  scopes: ['profile'],
  profile: { token: { query: 'access_token' }, query: { code: '{callback.code}' } },
  person: { uid: 'id', email: 'email', username: 'username', displayName: 'displayName' },
} satisfies OAuth2Record
