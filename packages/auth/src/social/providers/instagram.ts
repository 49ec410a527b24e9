import type { OAuth2Record } from '../oauth2/record.ts'

/** Instagram. */
export const instagram = {
  id: 'instagram',
  name: 'Instagram',
  protocol: 'oauth2',
  source: 'https://developers.facebook.com/docs/instagram-basic-display-api',
  endpoints: {
    authorize: 'https://api.instagram.com/oauth/authorize',
    token: 'https://api.instagram.com/oauth/access_token',
    profile: 'https://graph.instagram.com/me',
  },
  scopes: ['user_profile'],
  profile: { token: { query: 'access_token' }, query: { fields: 'id,username' } },
  person: { uid: 'id', username: 'username' },
} satisfies OAuth2Record
