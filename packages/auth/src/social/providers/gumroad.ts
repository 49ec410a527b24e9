import type { OAuth2Record } from '../oauth2/record.ts'
import { lastSegment } from '../profile/profile-values.ts'

/** Gumroad. */
export const gumroad = {
  id: 'gumroad',
  name: 'Gumroad',
  protocol: 'oauth2',
  source: 'https://gumroad.com/api',
  endpoints: {
    authorize: '{GUMROAD_URL}/oauth/authorize',
    token: '{GUMROAD_URL}/oauth/token',
    profile: 'https://api.gumroad.com/v2/user',
  },
  settings: { GUMROAD_URL: {} },
  scopes: ['edit_products'],
  profile: { token: { query: 'access_token' }, root: 'user' },
  person: { uid: 'user_id', email: 'email', username: lastSegment('url'), displayName: 'name' },
} satisfies OAuth2Record
