import type { OAuth1Record } from '../oauth1/record.ts'

/** Vimeo, OAuth 1.0a. */
export const vimeo = {
  id: 'vimeo',
  name: 'Vimeo',
  protocol: 'oauth1',
  source: 'https://developer.vimeo.com/api/authentication',
  requestTokenUrl: 'https://vimeo.com/oauth/request_token',
  authorizeUrl: 'https://vimeo.com/oauth/authorize',
  accessTokenUrl: 'https://vimeo.com/oauth/access_token',
  profile: { url: 'https://vimeo.com/api/rest/v2?method=vimeo.people.getInfo&format=json', root: 'person' },
  person: { uid: 'id', username: 'username', displayName: 'display_name' },
} satisfies OAuth1Record
