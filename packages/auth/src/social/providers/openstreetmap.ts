import type { OAuth1Record } from '../oauth1/record.ts'

/** OpenStreetMap, OAuth 1.0a. */
export const openstreetmap = {
  id: 'openstreetmap',
  name: 'OpenStreetMap',
  protocol: 'oauth1',
  source: 'https://wiki.openstreetmap.org/wiki/OAuth',
  requestTokenUrl: 'https://www.openstreetmap.org/oauth/request_token',
  authorizeUrl: 'https://www.openstreetmap.org/oauth/authorize',
  accessTokenUrl: 'https://www.openstreetmap.org/oauth/access_token',
  profile: { url: 'https://api.openstreetmap.org/api/0.6/user/details.json', root: 'user' },
  person: { uid: 'id', username: 'display_name' },
} satisfies OAuth1Record
