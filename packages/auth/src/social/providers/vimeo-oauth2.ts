import type { OAuth2Record } from '../oauth2/record.ts'
import { lastSegment } from '../profile/profile-values.ts'

/** Vimeo, OAuth 2. */
export const vimeoOauth2 = {
  id: 'vimeo_oauth2',
  name: 'Vimeo',
  protocol: 'oauth2',
  source: 'https://developer.vimeo.com/api/authentication',
  endpoints: {
    authorize: 'https://api.vimeo.com/oauth/authorize',
    token: 'https://api.vimeo.com/oauth/access_token',
    profile: 'https://api.vimeo.com/me/',
  },
  scopes: ['public', 'private'],
  person: { uid: lastSegment('uri'), displayName: 'name' },
} satisfies OAuth2Record
